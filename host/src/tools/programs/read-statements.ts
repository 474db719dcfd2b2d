import { isAmong } from '../shell/names.ts'

/** What statements for a database do without harm: they read, or they change what they name. */
const harmless =
  /^(select|with|show|explain|describe|desc|use|pragma|insert|update|delete|create (temp |temporary |unlogged |unique |or replace )?(table|index|view|materialized view|database|schema)|alter table|begin|commit|start|savepoint|release|analyze|analyse|vacuum|optimize|check|set|values|table|replace|upsert|merge|call|attach|detach|copy \w+ from|refresh|listen|fetch|declare|end|rollback|comment|get|help|exit|quit|\\[ldxcqit?][\w+]*|\\(timing|pset|conninfo|echo|encoding|h|a|sf|sv|z|watch|gx?|set)|\.(tables?|schema|headers?|mode|indexes|indices|databases|dump|stats|width|timer|help|quit|exit|separator|nullvalue|once|echo|show|fullschema|dbinfo|import|read|backup|save|open|output|bail|changes|explain|print|lint|eqp|parameter|limit|sha3sum))\b/i

/** Functions and clauses that reach files, programs or other machines. */
const reaching =
  /\b(pg_read_\w+|pg_ls_dir|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|lo_(import|export|unlink)|dblink\w*|load_file|load_extension|sys_(exec|eval)|xp_cmdshell|into\s+(outfile|dumpfile)|set\s+(global|persist)|to\s+program|from\s+program|writefile|edit\s*\(|load_infile|http_(get|post)|url\s*\(|copy\s+.*\bto\b|read_text|writable_schema|alter\s+table\s+.*\b(drop|rename|disable)\b|password)\b|\\(!|copy|o|w|i|ir)\b|\.(output|once|backup|save|import|read|open|shell|system|log|excel)\s+\S|\\!/i

const callsOf = /(?:^|[.\s;(,])(\w{1,40})\s{0,3}\(/g
const mongoReads: ReadonlySet<string> = new Set(
  'find findOne count countDocuments estimatedDocumentCount aggregate limit sort skip pretty toArray getCollection getCollectionNames getCollectionInfos getSiblingDB getName getMongo getDBs getDBNames stats dataSize storageSize explain distinct forEach map size getIndexes serverStatus hello isMaster version hostInfo buildInfo insert insertOne insertMany projection hasNext next print printjson ObjectId ISODate Date Number NumberInt NumberLong stringify status currentOp getUsers getRoles listCommands listCollections createCollection createIndex ping runCommand adminCommand'.split(
    ' ',
  ),
)
const mongoCommands =
  /\b(drop\w*|shutdown|fsync|renameCollection|createUser|dropUser|updateUser|grant\w*|eval|copydb|setParameter|killOp|delete|update|findAndModify)\b/

const redisFree: ReadonlySet<string> = new Set(
  'ping info get mget keys scan hget hgetall hkeys hvals hlen hmget hexists hscan lrange llen lindex smembers scard sismember sscan zrange zrevrange zrangebyscore zcard zscore zrank zcount exists ttl pttl type dbsize memory object strlen xrange xlen xinfo xread time role slowlog lastsave latency randomkey set setex setnx mset incr incrby decr hset hmset hincrby lpush rpush sadd zadd expire pexpire persist publish subscribe psubscribe monitor echo select auth select command help bitcount getrange pubsub touch xadd'.split(
    ' ',
  ),
)
const redisDeep =
  /^(client (list|id|getname|info)|config get|cluster (info|nodes|slots|shards)|acl (whoami|list|cat)|module list|function list)$/i

/** The first word of a statement that is neither reading nor an ordinary change; undefined where all are. */
export function changesData(name: string, words: readonly string[], input: string): string | undefined {
  if (name === 'redis-cli') return redisVerb(words)
  const texts = [...textsOf(name, words), ...(input === '' ? [] : [input])].map((text) => text.slice(0, 20_000))
  for (const text of texts) {
    const odd = /^mongo(sh)?$/.test(name) ? mongoCall(text) : oddStatement(text)
    if (odd !== undefined) return odd
  }
  return undefined
}

function textsOf(name: string, words: readonly string[]): readonly string[] {
  const operands = words.filter((word) => !word.startsWith('-'))
  // The first word is the database, the rest are statements.
  if (/^(sqlite3?|duckdb)$/.test(name)) return operands.slice(1)
  const option = /^mongo(sh)?$/.test(name) ? '--eval' : /^(-c|-e|--command|--execute|--query|-q|-Q|-[a-zA-Z]*[ce])$/
  return words.flatMap((word, index) => {
    const attached = /^--(?:command|execute|query|eval)=(.*)$/s.exec(word)?.[1]
    return attached === undefined ? (isAmong(option, words[index - 1] ?? '') ? [word] : []) : [attached]
  })
}

function oddStatement(text: string): string | undefined {
  const reach = reaching.exec(text)
  if (reach) return reach[0].slice(0, 30)
  return text
    .split(/;|\n(?=\s*[\\.])/)
    .map((each) => each.replaceAll(/^\s+|^--.*$/gm, '').trim())
    .filter((each) => each !== '')
    .find((each) => !harmless.test(each))
    ?.split(/\s+/, 2)
    .join(' ')
    .slice(0, 30)
}

function mongoCall(text: string): string | undefined {
  const command = mongoCommands.exec(text)
  if (command) return command[0]
  return [...text.matchAll(callsOf)].map(([, name = '']) => name).find((name) => !mongoReads.has(name))
}

function redisVerb(words: readonly string[]): string | undefined {
  if (words.some((word) => /^--(eval|pipe|cluster|rdb|functions-rdb)$/.test(word))) return 'script'
  const at = words.findIndex(
    (word, index) => !word.startsWith('-') && !/^(-[hpnaust]|--user|--pass|--askpass|-u|-r|-i)$/.test(words[index - 1] ?? ''),
  )
  const verb = (words[at] ?? '').toLowerCase()
  if (at === -1 || redisFree.has(verb) || redisDeep.test(`${verb} ${words[at + 1] ?? ''}`)) return undefined
  return verb
}
