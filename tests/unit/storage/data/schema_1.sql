-- A graph store as the first release wrote it: its tables with the rows of a small store, dumped by that release and never
-- made anew. What was written then is what must be read.
PRAGMA application_id = 1131177335;
PRAGMA user_version = 1;
CREATE TABLE access_class (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, rule TEXT NOT NULL);
INSERT INTO "access_class" VALUES(1,'acl_6f5c9a03cdd217a8307c56cdc1b0b88f','[["public"]]');
INSERT INTO "access_class" VALUES(2,'acl_2a815d08ad32182b043dc599c17e89fa','[["board", "hr"]]');
INSERT INTO "access_class" VALUES(3,'acl_e6f88682d060b4b17e89164ef9684554','[["a"]]');
CREATE TABLE chain (id TEXT PRIMARY KEY, status TEXT NOT NULL, accepted INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "chain" VALUES('chn_0fc1271b21890f37b768c331d0c8edc0','active',1);
INSERT INTO "chain" VALUES('chn_35822cc0ad9892c03b7456c2ff5e7278','active',0);
INSERT INTO "chain" VALUES('chn_38c44ad6a94f37b6a59bd106692abb75','active',0);
INSERT INTO "chain" VALUES('chn_6ecacff85ef1f0028c7fb84d20991107','retired',0);
INSERT INTO "chain" VALUES('chn_b873a350ebee9eb75986e0da08c76b89','active',0);
INSERT INTO "chain" VALUES('chn_ccc6aa607c4dc099f46e7b8e180b1029','active',0);
INSERT INTO "chain" VALUES('chn_cd976ae721ee3ab4c74b362080f9cbea','active',0);
INSERT INTO "chain" VALUES('chn_d388ba5ec45d2caec0039bd75ce6b98f','active',0);
INSERT INTO "chain" VALUES('chn_e468f1d4392119061fc59d1d93546d51','active',0);
CREATE TABLE chain_document (
  chain TEXT NOT NULL REFERENCES chain, document TEXT NOT NULL REFERENCES document, PRIMARY KEY (chain, document)
) WITHOUT ROWID;
INSERT INTO "chain_document" VALUES('chn_b873a350ebee9eb75986e0da08c76b89','doc_23e6574e5f39a31fa71567843ea63e93');
INSERT INTO "chain_document" VALUES('chn_ccc6aa607c4dc099f46e7b8e180b1029','doc_23e6574e5f39a31fa71567843ea63e93');
INSERT INTO "chain_document" VALUES('chn_cd976ae721ee3ab4c74b362080f9cbea','doc_23e6574e5f39a31fa71567843ea63e93');
INSERT INTO "chain_document" VALUES('chn_35822cc0ad9892c03b7456c2ff5e7278','doc_5c26f349c8071832dff30d9555f202d0');
INSERT INTO "chain_document" VALUES('chn_d388ba5ec45d2caec0039bd75ce6b98f','doc_b7072c04b04a867eb5ebbc4e42d14657');
INSERT INTO "chain_document" VALUES('chn_e468f1d4392119061fc59d1d93546d51','doc_c636bc5fb982569e3e39a008d84e7544');
INSERT INTO "chain_document" VALUES('chn_38c44ad6a94f37b6a59bd106692abb75','doc_d3c6cd1de59d0244b920df8c46a8ef16');
CREATE TABLE chain_link (
  chain TEXT NOT NULL REFERENCES chain, position INTEGER NOT NULL, relation TEXT NOT NULL REFERENCES relation,
  PRIMARY KEY (chain, position)
) WITHOUT ROWID;
INSERT INTO "chain_link" VALUES('chn_35822cc0ad9892c03b7456c2ff5e7278',0,'rel_2bc62406020faf9201c054425b0b2a91');
INSERT INTO "chain_link" VALUES('chn_ccc6aa607c4dc099f46e7b8e180b1029',0,'rel_3844276607677be16907d786c91b3edc');
INSERT INTO "chain_link" VALUES('chn_cd976ae721ee3ab4c74b362080f9cbea',1,'rel_3844276607677be16907d786c91b3edc');
INSERT INTO "chain_link" VALUES('chn_d388ba5ec45d2caec0039bd75ce6b98f',0,'rel_4c4999dcffc8fed7b06fb8f1c22508f6');
INSERT INTO "chain_link" VALUES('chn_b873a350ebee9eb75986e0da08c76b89',0,'rel_9097c1fb49c9844a8078b59bc6d967e8');
INSERT INTO "chain_link" VALUES('chn_cd976ae721ee3ab4c74b362080f9cbea',0,'rel_9097c1fb49c9844a8078b59bc6d967e8');
INSERT INTO "chain_link" VALUES('chn_6ecacff85ef1f0028c7fb84d20991107',0,'rel_a453e2446e68666c6a409199bfe65987');
INSERT INTO "chain_link" VALUES('chn_0fc1271b21890f37b768c331d0c8edc0',0,'rel_d877063bfe234c25786391987ba85a24');
INSERT INTO "chain_link" VALUES('chn_e468f1d4392119061fc59d1d93546d51',0,'rel_d877063bfe234c25786391987ba85a24');
INSERT INTO "chain_link" VALUES('chn_0fc1271b21890f37b768c331d0c8edc0',1,'rel_db7524e3f33bef5972c9e2b58679361c');
INSERT INTO "chain_link" VALUES('chn_38c44ad6a94f37b6a59bd106692abb75',0,'rel_db7524e3f33bef5972c9e2b58679361c');
CREATE TABLE chunk (
  document TEXT NOT NULL REFERENCES document, start INTEGER NOT NULL, end INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  section TEXT NOT NULL, page INTEGER, PRIMARY KEY (document, start, end)
) WITHOUT ROWID;
INSERT INTO "chunk" VALUES('doc_23e6574e5f39a31fa71567843ea63e93',0,22,0,'[]',NULL);
INSERT INTO "chunk" VALUES('doc_5c26f349c8071832dff30d9555f202d0',0,16,0,'[]',NULL);
INSERT INTO "chunk" VALUES('doc_b7072c04b04a867eb5ebbc4e42d14657',0,39,0,'[]',NULL);
INSERT INTO "chunk" VALUES('doc_c636bc5fb982569e3e39a008d84e7544',0,35,0,'[]',NULL);
INSERT INTO "chunk" VALUES('doc_d3c6cd1de59d0244b920df8c46a8ef16',0,60,0,'[]',NULL);
CREATE TABLE document (
  id TEXT PRIMARY KEY, source TEXT NOT NULL UNIQUE REFERENCES source, class INTEGER NOT NULL REFERENCES access_class,
  valid_from INTEGER, valid_to INTEGER, bounded INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "document" VALUES('doc_23e6574e5f39a31fa71567843ea63e93','src_a6d24c327a353e2791be83fa0413a786',1,NULL,NULL,0);
INSERT INTO "document" VALUES('doc_5c26f349c8071832dff30d9555f202d0','src_2caac70e4a63b8bef45bfa16adb189d1',3,1768392000000000,NULL,1);
INSERT INTO "document" VALUES('doc_b7072c04b04a867eb5ebbc4e42d14657','src_fb27304f7efbdc222fe838973c2cd14f',2,NULL,NULL,0);
INSERT INTO "document" VALUES('doc_c636bc5fb982569e3e39a008d84e7544','src_c0d7414261d4297987fc45d31858ed07',1,NULL,NULL,0);
INSERT INTO "document" VALUES('doc_d3c6cd1de59d0244b920df8c46a8ef16','src_9fdd22385d455422c051cd0917e8266c',1,NULL,NULL,0);
CREATE TABLE document_record (
  id TEXT PRIMARY KEY REFERENCES document, content_hash TEXT NOT NULL, title TEXT NOT NULL, language TEXT NOT NULL,
  length INTEGER NOT NULL, sections TEXT NOT NULL, pages TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "document_record" VALUES('doc_23e6574e5f39a31fa71567843ea63e93','1788606e8dac6679582e6b06a70303c0d5fb1b141649342d10609bd54c9d0a1f','','zh',22,'[]','[]');
INSERT INTO "document_record" VALUES('doc_5c26f349c8071832dff30d9555f202d0','58fed18efb7a4479cc8e85b63fda4bb485742bd3e7213e5a302015e10a841a37','','en',16,'[]','[]');
INSERT INTO "document_record" VALUES('doc_b7072c04b04a867eb5ebbc4e42d14657','2d547fe0d5a9b86b247a2e4ad79cb2fc85462cd0c5372647061d706feb6d0fc0','','en',39,'[]','[]');
INSERT INTO "document_record" VALUES('doc_c636bc5fb982569e3e39a008d84e7544','bdd41f41fdc20bc6eb06fc78c055347c07fe8f4858c5b3c03c84334cbc79880c','Rain','en',35,'[]','[]');
INSERT INTO "document_record" VALUES('doc_d3c6cd1de59d0244b920df8c46a8ef16','d06ce914d645a4dac6d64d600c2c74a4c97eaf975e65b8d56316e361faf7173b','','en',60,'[]','[]');
CREATE TABLE document_tag (
  document TEXT NOT NULL REFERENCES document, tag TEXT NOT NULL, PRIMARY KEY (document, tag)
) WITHOUT ROWID;
INSERT INTO "document_tag" VALUES('doc_b7072c04b04a867eb5ebbc4e42d14657','828b283ecf75e2bf0d67d4686a9a86c7');
CREATE TABLE edge (
  relation TEXT NOT NULL REFERENCES relation, class INTEGER NOT NULL, src TEXT NOT NULL, dst TEXT NOT NULL,
  type INTEGER NOT NULL, confidence REAL NOT NULL, cost REAL NOT NULL, shared INTEGER NOT NULL,
  PRIMARY KEY (relation, class)
) WITHOUT ROWID;
INSERT INTO "edge" VALUES('rel_2bc62406020faf9201c054425b0b2a91',3,'stm_12ad105296f169083f2c9f24ebb8d798','stm_117edf2a9cad02ff2256a70f1cf6c7fa',0,0.9,-0.9,0);
INSERT INTO "edge" VALUES('rel_3844276607677be16907d786c91b3edc',1,'stm_6c0a39350aab52370bba012e55e5ae0a','stm_532d824859bedff51b563de71decf0cb',0,0.9,-0.9,0);
INSERT INTO "edge" VALUES('rel_9097c1fb49c9844a8078b59bc6d967e8',1,'stm_06da5507b5fe64cacfcb231ae5e003e6','stm_6c0a39350aab52370bba012e55e5ae0a',0,0.9,-0.9,0);
INSERT INTO "edge" VALUES('rel_d877063bfe234c25786391987ba85a24',1,'stm_4b573e6cbc95b2d59cf3da685090d754','stm_c24de854e9c68ae06c1789b89e9604df',0,0.9,-0.9,0);
INSERT INTO "edge" VALUES('rel_4c4999dcffc8fed7b06fb8f1c22508f6',2,'stm_fb80625c1d08c8e3d40772b5edeb889c','stm_d10b2db8b96609980818eee8ff325706',0,0.9,-0.9,0);
INSERT INTO "edge" VALUES('rel_db7524e3f33bef5972c9e2b58679361c',1,'stm_c24de854e9c68ae06c1789b89e9604df','stm_fb80625c1d08c8e3d40772b5edeb889c',0,0.9,-0.9,0);
CREATE TABLE evidence (
  relation TEXT NOT NULL REFERENCES relation, document TEXT NOT NULL REFERENCES document, id TEXT NOT NULL,
  confidence REAL NOT NULL, modality TEXT NOT NULL, subtype TEXT NOT NULL, explicit INTEGER NOT NULL,
  head_start INTEGER NOT NULL, head_end INTEGER NOT NULL, tail_start INTEGER NOT NULL, tail_end INTEGER NOT NULL,
  cue_start INTEGER, cue_end INTEGER, origin TEXT NOT NULL, PRIMARY KEY (relation, document, id)
) WITHOUT ROWID;
INSERT INTO "evidence" VALUES('rel_2bc62406020faf9201c054425b0b2a91','doc_5c26f349c8071832dff30d9555f202d0','evd_c69fed38fed1c618ece29bc692923c8f',0.9,'asserted','cause',1,0,4,12,15,5,11,'sentences-en@1');
INSERT INTO "evidence" VALUES('rel_3844276607677be16907d786c91b3edc','doc_23e6574e5f39a31fa71567843ea63e93','evd_96996cede3bac7546f1759f6cd40bd05',0.9,'hedged','cause',1,9,13,17,21,13,17,'sentences-zh@1');
INSERT INTO "evidence" VALUES('rel_4c4999dcffc8fed7b06fb8f1c22508f6','doc_b7072c04b04a867eb5ebbc4e42d14657','evd_0999aee9690a203f2067dfad0ad36aee',0.9,'asserted','cause',1,0,17,25,38,18,24,'sentences-en@1');
INSERT INTO "evidence" VALUES('rel_9097c1fb49c9844a8078b59bc6d967e8','doc_23e6574e5f39a31fa71567843ea63e93','evd_615f0efc87036288f7ffb649e4de5b88',0.9,'asserted','cause',1,0,2,4,8,2,4,'sentences-zh@1');
INSERT INTO "evidence" VALUES('rel_d877063bfe234c25786391987ba85a24','doc_c636bc5fb982569e3e39a008d84e7544','evd_9994f399f62192a59ba08a1e43b09e76',0.9,'asserted','cause',1,0,10,18,34,11,17,'sentences-en@1');
INSERT INTO "evidence" VALUES('rel_db7524e3f33bef5972c9e2b58679361c','doc_d3c6cd1de59d0244b920df8c46a8ef16','evd_818fdc125916306d48a62f0a28c24484',0.9,'asserted','cause',1,0,16,24,41,17,23,'sentences-en@1');
CREATE TABLE failure (
  source TEXT PRIMARY KEY, namespace TEXT NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE intent (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, adds TEXT NOT NULL, removes TEXT NOT NULL,
  updates TEXT NOT NULL, committed INTEGER NOT NULL, at INTEGER NOT NULL
);
CREATE TABLE ledger (position INTEGER PRIMARY KEY, hash TEXT NOT NULL, record TEXT NOT NULL);
INSERT INTO "ledger" VALUES(0,'89007292ada01e057af3747eff51140339fda76dff6b8ddab0756fd3e3bfac42','{"position": 0, "previous": "0000000000000000000000000000000000000000000000000000000000000000", "action": "propose", "actor": "ask", "at": "2026-01-05T12:00:00Z", "batch": null, "reason": "", "ids": ["prp_2eb4187f7fd3d0accc8fbf46a07b27d8", "chn_0fc1271b21890f37b768c331d0c8edc0"]}');
INSERT INTO "ledger" VALUES(1,'431eddbaf1d7f12c8701c8ce1e44b79a93459279a07c51870590d3a90c7ef616','{"position": 1, "previous": "89007292ada01e057af3747eff51140339fda76dff6b8ddab0756fd3e3bfac42", "action": "accept", "actor": "ada", "at": "2026-01-05T12:00:00Z", "batch": "bat_d3f01e5104246c533a9d0c685fe4096c", "reason": "it holds", "ids": ["prp_2eb4187f7fd3d0accc8fbf46a07b27d8", "chn_0fc1271b21890f37b768c331d0c8edc0", "rel_d877063bfe234c25786391987ba85a24", "rel_db7524e3f33bef5972c9e2b58679361c"]}');
INSERT INTO "ledger" VALUES(2,'8ec85d9f73b2812836c66b5ce9def6a7cb6ee5a35105e8896ac9e05f4db56ebd','{"position": 2, "previous": "431eddbaf1d7f12c8701c8ce1e44b79a93459279a07c51870590d3a90c7ef616", "action": "propose", "actor": "ask", "at": "2026-01-05T12:00:00Z", "batch": null, "reason": "", "ids": ["prp_37c74bff1695017f450da1f018a21f49", "chn_7fe7031e987d63ca9b1c6c28a8642b5e"]}');
CREATE TABLE mention (
  statement TEXT NOT NULL REFERENCES statement, document TEXT NOT NULL REFERENCES document, start INTEGER NOT NULL,
  end INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (statement, document, start, end)
) WITHOUT ROWID;
INSERT INTO "mention" VALUES('stm_06da5507b5fe64cacfcb231ae5e003e6','doc_23e6574e5f39a31fa71567843ea63e93',0,2,'暴雨');
INSERT INTO "mention" VALUES('stm_117edf2a9cad02ff2256a70f1cf6c7fa','doc_5c26f349c8071832dff30d9555f202d0',12,15,'ice');
INSERT INTO "mention" VALUES('stm_12ad105296f169083f2c9f24ebb8d798','doc_5c26f349c8071832dff30d9555f202d0',0,4,'Snow');
INSERT INTO "mention" VALUES('stm_4b573e6cbc95b2d59cf3da685090d754','doc_c636bc5fb982569e3e39a008d84e7544',0,10,'Heavy rain');
INSERT INTO "mention" VALUES('stm_532d824859bedff51b563de71decf0cb','doc_23e6574e5f39a31fa71567843ea63e93',17,21,'列车晚点');
INSERT INTO "mention" VALUES('stm_6c0a39350aab52370bba012e55e5ae0a','doc_23e6574e5f39a31fa71567843ea63e93',4,8,'道路积水');
INSERT INTO "mention" VALUES('stm_6c0a39350aab52370bba012e55e5ae0a','doc_23e6574e5f39a31fa71567843ea63e93',9,13,'道路积水');
INSERT INTO "mention" VALUES('stm_c24de854e9c68ae06c1789b89e9604df','doc_c636bc5fb982569e3e39a008d84e7544',18,34,'the flooded road');
INSERT INTO "mention" VALUES('stm_c24de854e9c68ae06c1789b89e9604df','doc_d3c6cd1de59d0244b920df8c46a8ef16',0,16,'The flooded road');
INSERT INTO "mention" VALUES('stm_d10b2db8b96609980818eee8ff325706','doc_b7072c04b04a867eb5ebbc4e42d14657',25,38,'empty shelves');
INSERT INTO "mention" VALUES('stm_fb80625c1d08c8e3d40772b5edeb889c','doc_b7072c04b04a867eb5ebbc4e42d14657',0,17,'The late shipment');
INSERT INTO "mention" VALUES('stm_fb80625c1d08c8e3d40772b5edeb889c','doc_d3c6cd1de59d0244b920df8c46a8ef16',24,41,'the late shipment');
CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('data_version',5);
INSERT INTO "meta" VALUES('state_hash','5:486a7d7e86cd940bfa06a485f6cf572608cd1759094ad9c84a9ceb21c02f3abb');
CREATE TABLE proposal (
  id TEXT PRIMARY KEY, status TEXT NOT NULL, proposed_at INTEGER NOT NULL, record TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "proposal" VALUES('prp_2eb4187f7fd3d0accc8fbf46a07b27d8','accepted',1767614400000000,'{"relation_ids": ["rel_d877063bfe234c25786391987ba85a24", "rel_db7524e3f33bef5972c9e2b58679361c"], "proposer": "ask", "question": "Why did the late shipment happen?", "proposed_at": "2026-01-05T12:00:00Z", "status": "accepted", "verdicts": [{"check": "form", "passed": true, "reason": "2 links in a row, new"}, {"check": "grounding", "passed": true, "reason": "every quote stands in the stored text"}, {"check": "types", "passed": true, "reason": "causal, causal"}, {"check": "support", "passed": true, "reason": "2 documents"}, {"check": "view", "passed": true, "reason": "the proposer sees every link"}], "batch": "bat_d3f01e5104246c533a9d0c685fe4096c", "id": "prp_2eb4187f7fd3d0accc8fbf46a07b27d8", "chain_id": "chn_0fc1271b21890f37b768c331d0c8edc0"}');
INSERT INTO "proposal" VALUES('prp_37c74bff1695017f450da1f018a21f49','quarantined',1767614400000000,'{"relation_ids": ["rel_d877063bfe234c25786391987ba85a24", "rel_db7524e3f33bef5972c9e2b58679361c", "rel_4c4999dcffc8fed7b06fb8f1c22508f6"], "proposer": "ask", "question": "Why did empty shelves happen?", "proposed_at": "2026-01-05T12:00:00Z", "status": "quarantined", "verdicts": [{"check": "form", "passed": true, "reason": "3 links in a row, new"}, {"check": "grounding", "passed": true, "reason": "every quote stands in the stored text"}, {"check": "types", "passed": true, "reason": "causal, causal, causal"}, {"check": "support", "passed": true, "reason": "3 documents"}, {"check": "view", "passed": true, "reason": "the proposer sees every link"}], "batch": null, "id": "prp_37c74bff1695017f450da1f018a21f49", "chain_id": "chn_7fe7031e987d63ca9b1c6c28a8642b5e"}');
CREATE TABLE relation (
  id TEXT PRIMARY KEY, type TEXT NOT NULL, head TEXT NOT NULL REFERENCES statement,
  tail TEXT NOT NULL REFERENCES statement, polarity TEXT NOT NULL, status TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "relation" VALUES('rel_2bc62406020faf9201c054425b0b2a91','causal','stm_12ad105296f169083f2c9f24ebb8d798','stm_117edf2a9cad02ff2256a70f1cf6c7fa','affirmed','active');
INSERT INTO "relation" VALUES('rel_3844276607677be16907d786c91b3edc','causal','stm_6c0a39350aab52370bba012e55e5ae0a','stm_532d824859bedff51b563de71decf0cb','affirmed','active');
INSERT INTO "relation" VALUES('rel_4c4999dcffc8fed7b06fb8f1c22508f6','causal','stm_fb80625c1d08c8e3d40772b5edeb889c','stm_d10b2db8b96609980818eee8ff325706','affirmed','active');
INSERT INTO "relation" VALUES('rel_9097c1fb49c9844a8078b59bc6d967e8','causal','stm_06da5507b5fe64cacfcb231ae5e003e6','stm_6c0a39350aab52370bba012e55e5ae0a','affirmed','active');
INSERT INTO "relation" VALUES('rel_a453e2446e68666c6a409199bfe65987','causal','stm_ed773edecb2bc8d6d91f2e5f21a42bb3','stm_263da0aaafbabde0a1eb2ba969815e43','affirmed','retired');
INSERT INTO "relation" VALUES('rel_d877063bfe234c25786391987ba85a24','causal','stm_4b573e6cbc95b2d59cf3da685090d754','stm_c24de854e9c68ae06c1789b89e9604df','affirmed','active');
INSERT INTO "relation" VALUES('rel_db7524e3f33bef5972c9e2b58679361c','causal','stm_c24de854e9c68ae06c1789b89e9604df','stm_fb80625c1d08c8e3d40772b5edeb889c','affirmed','active');
CREATE TABLE same_as (
  first TEXT NOT NULL, second TEXT NOT NULL, score REAL NOT NULL, origin TEXT NOT NULL, PRIMARY KEY (first, second)
) WITHOUT ROWID;
CREATE TABLE source (
  id TEXT PRIMARY KEY, namespace TEXT NOT NULL, path TEXT NOT NULL, location TEXT, groups TEXT NOT NULL,
  metadata TEXT NOT NULL, valid_from INTEGER, valid_to INTEGER, document TEXT NOT NULL, raw_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL, ingested_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "source" VALUES('src_2caac70e4a63b8bef45bfa16adb189d1','documents','later.md',NULL,'["a"]','{}',1768392000000000,NULL,'doc_5c26f349c8071832dff30d9555f202d0','58fed18efb7a4479cc8e85b63fda4bb485742bd3e7213e5a302015e10a841a37','loader=caller@1;text=1;chunker=structure@1(size=350,overlap=42);extractor=sentences@1;embedder=words@1/stand-in',1767614400000000);
INSERT INTO "source" VALUES('src_9fdd22385d455422c051cd0917e8266c','documents','road.md',NULL,'["public"]','{}',NULL,NULL,'doc_d3c6cd1de59d0244b920df8c46a8ef16','d06ce914d645a4dac6d64d600c2c74a4c97eaf975e65b8d56316e361faf7173b','loader=caller@1;text=1;chunker=structure@1(size=350,overlap=42);extractor=sentences@1;embedder=words@1/stand-in',1767614400000000);
INSERT INTO "source" VALUES('src_a6d24c327a353e2791be83fa0413a786','documents','雨.txt',NULL,'["public"]','{}',NULL,NULL,'doc_23e6574e5f39a31fa71567843ea63e93','1788606e8dac6679582e6b06a70303c0d5fb1b141649342d10609bd54c9d0a1f','loader=caller@1;text=1;chunker=structure@1(size=350,overlap=42);extractor=sentences@1;embedder=words@1/stand-in',1767614400000000);
INSERT INTO "source" VALUES('src_c0d7414261d4297987fc45d31858ed07','documents','rain.md',NULL,'["public"]','{}',NULL,NULL,'doc_c636bc5fb982569e3e39a008d84e7544','bdd41f41fdc20bc6eb06fc78c055347c07fe8f4858c5b3c03c84334cbc79880c','loader=caller@1;text=1;chunker=structure@1(size=350,overlap=42);extractor=sentences@1;embedder=words@1/stand-in',1767614400000000);
INSERT INTO "source" VALUES('src_fb27304f7efbdc222fe838973c2cd14f','documents','shop.md',NULL,'["board", "hr"]','{"year": 2025}',NULL,NULL,'doc_b7072c04b04a867eb5ebbc4e42d14657','2d547fe0d5a9b86b247a2e4ad79cb2fc85462cd0c5372647061d706feb6d0fc0','loader=caller@1;text=1;chunker=structure@1(size=350,overlap=42);extractor=sentences@1;embedder=words@1/stand-in',1767614400000000);
CREATE TABLE statement (
  id TEXT PRIMARY KEY, language TEXT NOT NULL, terms TEXT, direction TEXT NOT NULL, negated INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "statement" VALUES('stm_06da5507b5fe64cacfcb231ae5e003e6','zh','["\u66b4\u96e8"]','none',0);
INSERT INTO "statement" VALUES('stm_117edf2a9cad02ff2256a70f1cf6c7fa','en','["ice"]','none',0);
INSERT INTO "statement" VALUES('stm_12ad105296f169083f2c9f24ebb8d798','en','["snow"]','none',0);
INSERT INTO "statement" VALUES('stm_263da0aaafbabde0a1eb2ba969815e43','en',NULL,'none',0);
INSERT INTO "statement" VALUES('stm_4b573e6cbc95b2d59cf3da685090d754','en','["heavy", "rain"]','none',0);
INSERT INTO "statement" VALUES('stm_532d824859bedff51b563de71decf0cb','zh','["\u5217\u8f66", "\u665a\u70b9"]','none',0);
INSERT INTO "statement" VALUES('stm_6c0a39350aab52370bba012e55e5ae0a','zh','["\u9053\u8def", "\u79ef\u6c34"]','none',0);
INSERT INTO "statement" VALUES('stm_c24de854e9c68ae06c1789b89e9604df','en','["flood", "road"]','none',0);
INSERT INTO "statement" VALUES('stm_d10b2db8b96609980818eee8ff325706','en','["empty", "shelve"]','none',0);
INSERT INTO "statement" VALUES('stm_ed773edecb2bc8d6d91f2e5f21a42bb3','en',NULL,'none',0);
INSERT INTO "statement" VALUES('stm_fb80625c1d08c8e3d40772b5edeb889c','en','["late", "shipment"]','none',0);
CREATE TABLE statement_term (
  language TEXT NOT NULL, term TEXT NOT NULL, statement TEXT NOT NULL REFERENCES statement,
  PRIMARY KEY (language, term, statement)
) WITHOUT ROWID;
INSERT INTO "statement_term" VALUES('en','flood road','stm_c24de854e9c68ae06c1789b89e9604df');
INSERT INTO "statement_term" VALUES('en','heavy rain','stm_4b573e6cbc95b2d59cf3da685090d754');
INSERT INTO "statement_term" VALUES('en','ice','stm_117edf2a9cad02ff2256a70f1cf6c7fa');
INSERT INTO "statement_term" VALUES('en','shelve empty','stm_d10b2db8b96609980818eee8ff325706');
INSERT INTO "statement_term" VALUES('en','shipment late','stm_fb80625c1d08c8e3d40772b5edeb889c');
INSERT INTO "statement_term" VALUES('en','snow','stm_12ad105296f169083f2c9f24ebb8d798');
INSERT INTO "statement_term" VALUES('zh','列车 晚点','stm_532d824859bedff51b563de71decf0cb');
INSERT INTO "statement_term" VALUES('zh','暴雨','stm_06da5507b5fe64cacfcb231ae5e003e6');
INSERT INTO "statement_term" VALUES('zh','积水 道路','stm_6c0a39350aab52370bba012e55e5ae0a');
CREATE INDEX document_bounded ON document (id) WHERE bounded = 1;
CREATE INDEX mention_document ON mention (document);
CREATE INDEX same_as_second ON same_as (second);
CREATE INDEX evidence_document ON evidence (document);
CREATE INDEX edge_forward ON edge (src, shared, cost, relation, class, type, dst, confidence);
CREATE INDEX edge_backward ON edge (dst, shared, cost, relation, class, type, src, confidence);
CREATE INDEX chain_accepted ON chain (id) WHERE accepted = 1;
CREATE INDEX chain_link_relation ON chain_link (relation);
CREATE INDEX chain_document_document ON chain_document (document);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('intent',3);
