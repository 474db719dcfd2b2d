import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastLines, runNpm } from './npm.mjs'
import { nativeTarget } from './platform.mjs'
import { during } from './say.mjs'
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

/** Whether node_modules is what the lockfile asks for; installed development packages do not hurt a start. */
export function isInstalled(root, { dev }) {
  const stamp = readStamp(stampFile(root))
  return stamp?.stamp === wantedStamp(root) && (stamp.dev === true || !dev)
}

/** Records that node_modules is what the lockfile asks for. */
export function markInstalled(root, { dev }) {
  writeFileSync(stampFile(root), `${JSON.stringify({ stamp: wantedStamp(root), dev })}\n`)
}

/** Installs what the lockfile names, without running any package's scripts. */
export async function installDependencies(root, { dev }) {
  if (isInstalled(root, { dev })) return
  const what = dev ? 'Installing the packages, with those for development' : 'Installing the packages'
  await during(
    what,
    async () => {
      const args = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
      const { ok, output } = await runNpm([...args, ...(dev ? ['--include=dev'] : ['--omit=dev'])], root)
      if (!ok)
        throw new Trouble(explainInstallFailure(output) ?? `npm could not install the packages. Its last lines:\n${lastLines(output)}`)
      markInstalled(root, { dev })
    },
    { slow: true },
  )
}
