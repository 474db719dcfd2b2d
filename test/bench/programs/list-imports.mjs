// Preloaded into a program under measurement: writes the URL of every module that it loads to the file in BENCH_IMPORTS.
import { appendFileSync } from 'node:fs'
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) register(import.meta.url)

export async function load(url, context, nextLoad) {
  appendFileSync(process.env.BENCH_IMPORTS, `${url}\n`)
  return nextLoad(url, context)
}
