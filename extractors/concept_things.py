"""Things in both languages, each line one concept; written as :mod:`extractors.concept_changes` is."""

from __future__ import annotations

THINGS = """
# attributes
price | 价格 价
cost | 成本
expense, expenditure | 费用
supply, output, production | 供给 供应 产量 产能 产出 = supply
demand, consumption, spend, consumer spend | 需求 消费 = demand
sales, sales volume | 销量 销售 销售量
profit, earnings, profitability, net income | 利润 盈利 = profit
revenue, turnover, income | 收入 营收
inventory, stockpile | 库存 存货
import | 进口
export | 出口
wage, salary | 工资 薪资 薪水
rent | 房租 租金
debt, liability | 债务 负债
interest rate, borrowing cost | 利率
exchange rate | 汇率
value, worth | 价值 币值
inflation, consumer price | 通胀 通货膨胀
market share | 份额 市场份额
latency, response time, lag | 响应时间 时延
error, fault | 错误 报错
load | 负载 负荷
traffic | 流量 访问量
capacity | 容量
confidence | 信心
sentiment | 情绪
efficiency | 效率
quality | 质量 品质
risk | 风险
temperature | 气温 温度
body temperature | 体温
pressure | 压力
speed | 速度
rainfall, precipitation | 降雨 降水 降雨量 降水量
tariff, import duty, custom duty | 关税 进口税
tax | 税 税收
budget | 预算
subsidy | 补贴
freight rate, ship cost, freight, ship rate, transport cost, freight cost | 运费 运输成本 运价 = freight_rate
blood pressure | 血压
unemployed | 失业者 失业人口
carbon tax | 碳税
mortality, death rate | 死亡率
# goods
crude, crude oil, oil, petroleum | 原油 油 石油 = oil
natural gas, gas | 天然气
coal | 煤炭 煤
petrol, gasoline | 汽油
diesel | 柴油
electricity | 电
steel | 钢材 钢铁 钢
iron ore | 铁矿石
iron | 铁
copper | 铜
aluminium, aluminum | 铝
zinc | 锌
nickel | 镍
lithium | 锂
gold | 黄金 金
silver | 白银 银
corn, maize | 玉米
wheat | 小麦
rice | 大米 稻米 水稻
soybean, soy, soya | 大豆 黄豆
cotton | 棉花
sugar | 食糖 白糖
coffee | 咖啡
tea | 茶叶
pork | 猪肉
pig, hog | 生猪
beef | 牛肉
chicken, poultry | 鸡肉
egg | 鸡蛋
milk | 牛奶
meat | 肉 肉类
vegetable | 蔬菜
fruit | 水果
apple | 苹果
food | 食品
grain, cereal | 谷物 粮食
bread | 面包
fertiliser, fertilizer | 化肥 肥料
rubber | 橡胶
timber, wood | 木材
cement | 水泥
glass | 玻璃
plastic | 塑料
raw material, material | 原材料 原料
chip, semiconductor | 芯片 半导体
battery | 电池
car, automobile | 汽车 轿车
truck, lorry | 卡车 货车
phone, smartphone, mobile phone | 手机
house, home, housing | 房 住房 房屋
tyre, tire | 轮胎
engine | 发动机 引擎
component | 零件 零部件
equipment | 设备
drug, medicine, medication | 药物 药品
good, cargo | 货物
fare | 票价 票
crop | 庄稼 作物 农作物
# bodies and places of work
central bank | 央行 中央银行
bank, lender | 银行
government | 政府
parliament, congress, lawmaker, legislature | 议会 国会
court | 法院
minister | 部长
president | 总统
police | 警方 警察
law, bill, legislation | 法律 法案 法规 = law
rule, regulation | 规定 管制 监管 规则 = rule
supplier, vendor | 供应商 供货商
customer, client | 客户 顾客
user | 用户
consumer, shopper | 消费者
investor | 投资者
worker, employee, staff | 工人 员工 职工
engineer | 工程师
driver | 司机
farmer | 农民
factory, plant | 工厂 厂
refinery | 炼油厂
warehouse | 仓库
shop, store | 商店
hospital | 医院
school | 学校
airline | 航空公司 航空
airport | 机场
port, harbour, harbor | 港口 码头 港
terminal | 航站楼
border, frontier | 边境 口岸 国境
road, highway | 道路 公路
bridge | 大桥 桥梁
tunnel | 隧道
canal | 运河
railway, railroad | 铁路
train | 列车 火车
flight | 航班
plane, aircraft, airplane | 飞机
ship, vessel, boat | 船舶 船只 轮船 船
container | 集装箱 货柜
shipment, delivery, consignment | 交货 发货 供货 = delivery
economy | 经济
currency | 货币
yuan, renminbi | 人民币
dollar | 美元
euro | 欧元
yen | 日元
loan, lend | 贷款 放贷
share price, stock price | 股价
stock market | 股市
house price, home price, home value, property price | 房价 = house price
oil price, crude price | 油价 = oil price
copper price | 铜价 = copper price
gold price | 金价 = gold price
grain price | 粮价 = grain price
coal price | 煤价 = coal price
pork price | 猪价 = pork price
steel price | 钢价 = steel price
# machines
server | 服务器 主机
database | 数据库
disk, hard disk | 磁盘 硬盘
memory | 内存
cpu, processor | 处理器
network | 网络
router | 路由器
node | 节点
cluster | 集群
cache | 缓存
queue | 队列
connection | 连接
connection pool | 连接池 连接数
certificate, cert, tls cert | 证书
password | 密码
service | 服务
payment | 支付
page | 页面
website | 网站
data centre, data center, datacentre, datacenter, machine room | 机房 数据中心 = data_centre
data | 数据
packet | 数据包 包
packet lose | 丢包 = packet lose
backup | 备份
version | 版本
configuration, config, setting | 配置
code | 代码
bug, defect, vulnerability, flaw | 漏洞 缺陷 = bug
software | 软件
system | 系统
interface, api, endpoint | 接口
power | 电源 电力 = power
request | 请求
thread | 线程
task | 进程 任务
space | 空间
# bodies and illness
patient | 患者 病人
doctor, physician | 医生
nurse | 护士 护理人员
surgeon | 外科医生
vaccine | 疫苗
tumour, tumor | 肿瘤 瘤 瘤体
cancer | 癌症
lung cancer | 肺癌
fever | 发烧 发热
wound | 伤口
heart attack | 心脏病 心肌梗死
stroke | 中风
diabetes | 糖尿病
hypertension | 高血压
pneumonia | 肺炎
influenza, flu | 流感
antibiotic | 抗生素
case, infect case | 病例 感染人数
virus | 病毒
pain | 疼痛
cough | 咳嗽
headache | 头痛
insomnia, sleeplessness | 失眠
liver | 肝
kidney | 肾
liver function | 肝功能
kidney function | 肾功能
lung | 肺
heart | 心脏
patient condition, medical condition | 病情
symptom | 症状
arm | 手臂 臂
leg | 腿
bone fracture, fracture | 骨折
child | 儿童 孩子
# weather and nature
heavy rain, heavy rain fall, downpour, torrential rain, rainstorm | 大雨 暴雨 强降雨 = heavy_rain
rain, rain fall | 雨 下雨
heavy snow, heavy snow fall, snowstorm, blizzard | 大雪 暴雪 = heavy_snow
snow, snow fall | 雪 下雪
drought, dry spell | 干旱 旱灾
typhoon | 台风
hurricane | 飓风
storm | 风暴 暴风雨
strong wind, gale, high wind | 大风 强风 = strong_wind
wind | 风
hail, hail fall | 冰雹
earthquake, quake | 地震
landslide | 滑坡 山体滑坡
heatwave, heat wave | 热浪 高温
cold wave, cold snap | 寒潮
fog | 大雾 雾
river, river water | 河水 河流 河
dam | 大坝 水坝
farmland | 农田
forest | 森林
tree | 树木 树
animal | 动物
# places
china | 中国
america, unite state, usa | 美国
japan | 日本
germany | 德国
france | 法国
britain, uk, unite kingdom | 英国
england | 英格兰
italy | 意大利
spain | 西班牙
russia | 俄罗斯 俄国
ukraine | 乌克兰
india | 印度
brazil | 巴西
canada | 加拿大
australia | 澳大利亚 澳洲
south korea, korea | 韩国
north korea | 朝鲜
indonesia | 印度尼西亚 印尼
thailand | 泰国
vietnam | 越南
malaysia | 马来西亚
singapore | 新加坡
saudi arabia | 沙特 沙特阿拉伯
iran | 伊朗
iraq | 伊拉克
turkey | 土耳其
egypt | 埃及
mexico | 墨西哥
argentina | 阿根廷
chile | 智利
south africa | 南非
europe | 欧洲
european union, eu | 欧盟
asia | 亚洲
africa | 非洲
beijing | 北京
shanghai | 上海
guangzhou | 广州
shenzhen | 深圳
hong kong | 香港
taiwan | 台湾
tokyo | 东京
london | 伦敦
paris | 巴黎
new york | 纽约
# happenings that are things of their own
strike, go strike, walk out, walkout, industrial action | 罢工
collide | 碰撞 相撞
explode, blow up, blast | 爆炸
burn, fire, blaze, catch fire | 火灾 起火 着火 = fire
merge, merger, acquisition, takeover, acquire | 并购 合并 收购
operate patient, undergo surgery, surgery, operation patient | 手术 动手术 接受手术 = surgery
smoke, smoking | 吸烟 抽烟
flood, burst bank, overflow, inundate, submerge | 洪水 泛滥 漫堤 被淹 淹没 洪灾 = flood
freeze, frost | 霜冻 结冰 冰冻
attack, assault | 袭击 攻击
protest, demonstration | 抗议 示威
difficulty breathing, trouble breathing, shortness breath, breathless | 呼吸困难 喘不上气 = short_breath
# light words, which say nothing about what is meant
become, go, come, number, level, amount, company, firm, enterprise, manufacturer, rate, long, year, many, severe,
  serious, sharp, steep, large, total, whole lot | 公司 企业 长期 严重 大量 情况 人数 出现 发生 得到 获得 接受 =
  LIGHT
"""

__all__ = ["THINGS"]
