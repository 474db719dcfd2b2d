import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { lastLines, runNpm } from './npm.mjs'
import { nativeTarget } from './platform.mjs'
import { during } from './say.mjs'
import { explainError, Trouble } from './trouble.mjs'

/** Native modules of the host: package and the file that it builds. */
const modules = [{ name: 'better-sqlite3', output: 'build/Release/better_sqlite3.node' }]

/** Part of a compiled file's name: raised when the way of compiling changes, so that no older build is taken. */
const buildRevision = 2

/**
 * Node's headers from 24.19 on register a cleanup hook for every wrapped object, and abort the program when
 * one is collected while no JavaScript runs (nodejs/node#65446). better-sqlite3 cleans up by itself.
 */
const withoutWrapHooks = `#include <node.h>
namespace node { inline void SkipHook(v8::Isolate*, void (*)(void*), void*) {} }
#define AddEnvironmentCleanupHook SkipHook
#define RemoveEnvironmentCleanupHook SkipHook
#include <node_object_wrap.h>
#undef AddEnvironmentCleanupHook
#undef RemoveEnvironmentCleanupHook
`

/** Where compiled modules are kept for every checkout of this user. */
export function nativeCache() {
  return process.env.AGENT_NATIVE_CACHE || join(homedir(), '.cache', 'agent', 'native')
}

/** Where npm has put a package: beside us in a checkout, above us where we are a package ourselves. */
function packageFolder(root, name) {
  const own = join(root, 'node_modules', name)
  return existsSync(own) ? own : dirname(createRequire(join(root, 'package.json')).resolve(`${name}/package.json`))
}

/** Path of one compiled module for the running Node. */
export function nativeFile(root, name) {
  const { version } = JSON.parse(readFileSync(join(packageFolder(root, name), 'package.json'), 'utf8'))
  return join(nativeCache(), `${name}-${version}-${nativeTarget()}-${buildRevision}.node`)
}

/** Makes sure that each native module is in the cache; a file only gets there whole and tried. */
export async function ensureNativeModules(root) {
  for (const module of modules) {
    const file = nativeFile(root, module.name)
    if (existsSync(file)) continue
    const sentence = `Getting the native part of ${module.name} (a download, or one to two minutes of compiling; only once)`
    await during(sentence, () => obtain(root, module, file), { slow: true })
  }
}

/** The same for a checkout, where tests and benches open databases without naming the cached file. */
export async function installNativeModules(root) {
  await ensureNativeModules(root)
  for (const module of modules) linkIntoPackage(root, module, nativeFile(root, module.name))
}

/** Where the package itself looks for a file of this very ABI: what opens a database without naming the cached file finds it too. */
function linkIntoPackage(root, { name, output }, file) {
  const { versions, platform, arch } = process
  const folder = join(packageFolder(root, name), 'lib', 'binding', `node-v${versions.modules}-${platform}-${arch}`)
  const link = join(folder, basename(output))
  if (existsSync(link) && realpathSync(link) === realpathSync(file)) return
  mkdirSync(folder, { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(file, link)
}

function loads(file) {
  try {
    createRequire(import.meta.url)(file)
    return true
  } catch {
    rmSync(file, { force: true })
    return false
  }
}

/** Built in a copy: the package's folder stays as npm unpacked it, and two versions of Node do not overwrite each other. */
async function obtain(root, module, file) {
  const source = packageFolder(root, module.name)
  const workshop = join(dirname(source), `.native-${process.pid}`)
  const copy = join(workshop, 'node_modules', module.name)
  try {
    mkdirSync(workshop, { recursive: true })
    cpSync(source, copy, { recursive: true, filter: (path) => path !== join(source, 'build') })
    writeFileSync(
      join(workshop, 'package.json'),
      JSON.stringify({ name: 'workshop', private: true, allowScripts: { [module.name]: true } }),
    )
    const header = join(workshop, 'without-wrap-hooks.h')
    writeFileSync(header, withoutWrapHooks)
    const flags = { CXXFLAGS: `${process.env.CXXFLAGS ?? ''} -include "${header}"` }
    const { ok, output } = await runNpm(['rebuild', module.name, '--foreground-scripts', '--loglevel=error'], workshop, flags)
    const built = join(copy, module.output)
    if (!ok || !existsSync(built)) throw new Trouble(explainBuildFailure(module.name, output))
    mkdirSync(nativeCache(), { recursive: true })
    const draft = `${file}.${process.pid}`
    cpSync(built, draft)
    renameSync(draft, file)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
  if (!loads(file)) throw new Trouble(`${module.name} was built, but Node.js ${process.version} cannot load it.`)
}

function explainBuildFailure(name, output) {
  const full = explainError({ code: output.match(/ENOSPC|No space left/i) ? 'ENOSPC' : '' })
  if (full) return full
  const missing = ['python3', 'make', 'g++'].filter((tool) => !isOnPath(tool))
  const reason =
    missing.length > 0
      ? `${name} could not be downloaded, and to compile it ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. On Debian or Ubuntu: apt-get install -y ${missing.join(' ')}`
      : `${name} could neither be downloaded nor compiled.`
  return `${reason}\n\nThe last lines of the build:\n${lastLines(output)}`
}

function isOnPath(tool) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, tool)))
}
