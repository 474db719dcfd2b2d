// busy.mjs: a fixed piece of what tests do with a processor: objects, texts, patterns, JSON and hashes. It prints nothing.
import { createHash } from 'node:crypto'

const rounds = 60
let found = 0
for (let round = 0; round < rounds; round++) {
  const rows = Array.from({ length: 4000 }, (_, at) => ({
    id: `row-${round}-${at}`,
    at,
    tags: [`t${at % 7}`, `u${at % 11}`],
    of: { a: at, b: null },
  }))
  const text = JSON.stringify(rows)
  const read = JSON.parse(text)
  const byId = new Map(read.map((row) => [row.id, row]))
  for (const match of text.matchAll(/"row-(\d+)-(\d+)"/g)) found += byId.has(`row-${match[1]}-${match[2]}`) ? 1 : 0
  found += read.filter(({ tags }) => tags.includes('t3')).sort((a, b) => b.at - a.at).length
  createHash('sha256').update(text).digest()
}
if (found !== rounds * (4000 + 571)) process.exitCode = 1
