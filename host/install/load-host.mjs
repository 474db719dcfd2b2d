import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/** The bundle ends in its print, which says which compiled code belongs to it: V8 itself compares nothing but the length. */
const printLength = 64

export const bundleOf = (installRoot) => join(installRoot, 'host', 'dist', 'main.cjs')

/** Where the compiled code of the bundle is kept for the running Node. */
export const compiledFileOf = (installRoot) => `${bundleOf(installRoot)}.${process.version}-${process.arch}.compiled`

/**
 * Loads the bundle of the host; `exports` are its own. With the compiled code that was kept it starts in two thirds of the time;
 * `isCompiled` says whether that was there and fits, `compile` answers the file to keep.
 */
export function loadHost(installRoot) {
  // The HTTP parser behind fetch is WebAssembly: V8's optimising compiler spends 29 MiB and 100 ms on it and gains nothing here.
  // Code that was compiled under other flags is refused.
  setFlagsFromString('--liftoff-only')
  // Threads that share the collection of a young heap this small mostly wait for each other: with them a turn over the API took 2.3 to more than 2.6
  // times the processor of a plain relay, without them 2.25 to 2.29.
  setFlagsFromString('--no-parallel-scavenge')
  const file = bundleOf(installRoot)
  // The bundler leaves ASCII alone: as such V8 keeps one byte a letter.
  const source = readFileSync(file, 'latin1')
  const print = source.slice(-printLength)
  const script = new Script(source, { filename: file, cachedData: readCompiled(compiledFileOf(installRoot), print) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href, (url) => import(url))
  return {
    exports: module.exports,
    isCompiled: script.cachedDataRejected === false,
    compile: () => Buffer.concat([Buffer.from(print, 'latin1'), script.createCachedData()]),
  }
}

function readCompiled(file, print) {
  try {
    const kept = readFileSync(file)
    return kept.latin1Slice(0, printLength) === print ? kept.subarray(printLength) : undefined
  } catch {
    return undefined
  }
}
