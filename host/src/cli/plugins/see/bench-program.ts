/** Runs in a separate child: imports the entries that it is given and tells on pipe 3 what that took. */
export const benchProgram = `
import { writeSync } from 'node:fs'
const urls = JSON.parse(process.argv[1])
const before = process.memoryUsage.rss()
const begin = performance.now()
for (const url of urls) await import(url)
const ms = performance.now() - begin
writeSync(3, JSON.stringify({ ms, bytes: Math.max(0, process.memoryUsage.rss() - before) }))
process.exit(0)
`
