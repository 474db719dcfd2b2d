import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lastLines, runNpm } from './npm.mjs'
import { nativeTarget } from './platform.mjs'
import { during, say } from './say.mjs'
import { hashFiles, readStamp } from './stamp.mjs'
import { explainInstallFailure, Trouble } from './trouble.mjs'

/** Folders of the workspaces, from the patterns of the root package.json (`name` or `a/*` + `/*`). */
export function workspaceFolders(root) {
  const patterns = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces
  return patterns.flatMap((pattern) => expand(root, pattern.split('/'))).filter((folder) => existsSync(join(folder, 'package.json')))
}

function expand(folder, parts) {
  const [first, ...rest] = parts
  if (first === undefined) return [folder]
  if (first !== '*') return expand(join(folder, first), rest)
  if (!existsSync(folder)) return []
  const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return children
    .map((entry) => entry.name)
    .sort()
    .flatMap((name) => expand(join(folder, name), rest))
}

function stampFile(root) {
  return join(root, 'node_modules', '.agent-install.json')
}

function wantedStamp(root) {
  const manifests = [root, ...workspaceFolders(root)].map((folder) => join(folder, 'package.json'))
  return hashFiles(root, [join(root, 'package-lock.json'), ...manifests], [nativeTarget()])
}

/** What a checkout may have installed: what the built program runs with, what builds it besides, and what its developers use. */
const levels = ['run', 'build', 'develop']

/** Whether node_modules is what the lockfile asks for, and has at least what belongs to a level. */
export function isInstalled(root, level) {
  const stamp = readStamp(stampFile(root))
  return stamp?.stamp === wantedStamp(root) && levels.indexOf(stamp.level) >= levels.indexOf(level)
}

/** Records that node_modules is what the lockfile asks for. */
export function markInstalled(root, level) {
  writeFileSync(stampFile(root), `${JSON.stringify({ stamp: wantedStamp(root), level })}\n`)
}

const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']

/**
 * Makes sure that the packages of a level are there. What a developer has installed stays with `keep`, since it need not fit the stamp;
 * where the packages for building were removed, the level holds all the same.
 */
export async function ensurePackages(root, level, { keep = false } = {}) {
  const isPruned = readStamp(stampFile(root))?.level === 'run'
  if (keep && !isPruned && existsSync(join(root, 'node_modules'))) return
  await installPackages(root, level)
}

/** Installs what the lockfile names, without running any package's scripts. */
async function installPackages(root, level) {
  if (isInstalled(root, level)) return
  const dev = level === 'develop'
  await during(
    dev ? 'Installing the packages, with those for development' : 'Installing the packages',
    async () => {
      const { ok, output } = await runNpm(['ci', ...quietly, dev ? '--include=dev' : '--omit=dev'], root)
      if (!ok)
        throw new Trouble(explainInstallFailure(output) ?? `npm could not install the packages. Its last lines:\n${lastLines(output)}`)
      markInstalled(root, dev ? 'develop' : 'build')
    },
    { slow: true },
  )
}

/**
 * Removes the packages that are in the bundles by now: what runs is what the root package.json names. Packages that a developer installed stay.
 * Recorded first: who is interrupted here keeps a few packages too many, and no build misses one.
 */
export async function removeBuildPackages(root) {
  if (!isInstalled(root, 'build') || isInstalled(root, 'develop')) return
  await during('Removing the packages that only building needs', async () => {
    markInstalled(root, 'run')
    const { ok, output } = await runNpm(['prune', '--no-save', '--workspaces=false', '--omit=dev', ...quietly], root)
    if (ok) removeUnneeded(root)
    else say(`They stay, because npm could not remove them: ${lastLines(output)}`)
  })
}

/** Removes what no package of the root package.json leads to: npm keeps optional packages and peers of those that it has removed. Links stay. */
export function removeUnneeded(root) {
  const needed = new Set()
  const visit = (folder) => {
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = findPackage(root, folder, name)
      if (found === undefined || needed.has(found)) continue
      needed.add(found)
      visit(found)
    }
  }
  visit(root)
  for (const folder of listPackages(join(root, 'node_modules'))) if (!needed.has(folder)) rmSync(folder, { recursive: true, force: true })
}

/** The folder of a package as Node finds it from another one. */
function findPackage(root, folder, name) {
  const found = join(folder, 'node_modules', name)
  if (existsSync(join(found, 'package.json'))) return found
  return folder === root ? undefined : findPackage(root, dirname(folder), name)
}

function listPackages(folder) {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'))
  return names
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((each) => join(folder, name, each)) : [join(folder, name)],
    )
    .filter((path) => lstatSync(path).isDirectory())
}
