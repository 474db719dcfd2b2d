import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledFileOf, loadHost } from './load-host.mjs'
import { nativeCache } from './native.mjs'

/** Keeps the compiled code of the host beside its bundle, so that it starts faster. Without it the host starts as well. */
export async function ensureCompiled(installRoot) {
  const file = compiledFileOf(installRoot)
  if (existsSync(file) || !mayWrite(dirname(file))) return
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), installRoot], { stdio: 'ignore' })
  child.once('error', () => undefined)
  await once(child, 'close').catch(() => undefined)
}

function mayWrite(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Lets the host answer once, because V8 compiles a function when it is first called, and keeps what it has compiled by then. */
async function keepCompiled(installRoot) {
  const home = mkdtempSync(join(tmpdir(), 'agent-compile-'))
  try {
    const { exports, compile } = loadHost(installRoot)
    const environment = { AGENT_HOME: home, HOME: home, PATH: process.env.PATH, AGENT_NATIVE_CACHE: nativeCache() }
    await exports.main(['chat', '-z', 'hello'], { installRoot, environment })
    const file = compiledFileOf(installRoot)
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, compile())
    renameSync(draft, file)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await keepCompiled(process.argv[2] ?? '')
