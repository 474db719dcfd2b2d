import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { hasCompiler } from './bundle.mjs'
import { workspaceFolders } from './dependencies.mjs'
import { hashFiles, listSources, readStamp } from './stamp.mjs'

export const stampName = '.stamp.json'

/** What every output depends on: these scripts, and by the lockfile the versions of the bundler and of what is bundled. */
function builderFiles(root) {
  return [...listSources(join(root, 'host', 'install')), join(root, 'package-lock.json')]
}

function ownFiles(folder) {
  return [
    ...listSources(join(folder, 'src')),
    ...listSources(join(folder, 'bin')),
    ...listSources(join(folder, 'public')),
    join(folder, 'package.json'),
    join(folder, 'index.html'),
  ]
}

/** Everything that is built: `kind` says by which builder, `stamp` what its output must carry. */
export function listTargets(root) {
  const sdk = join(root, 'plugin-sdk')
  const web = join(root, 'host', 'web')
  const shared = hashFiles(root, [...builderFiles(root), ...ownFiles(sdk)])
  const plugins = workspaceFolders(root).filter((folder) => existsSync(join(folder, 'src', 'plugin.ts')))
  const target = (kind, name, folder) => ({ kind, name, folder, stamp: hashFiles(root, ownFiles(folder), [shared]) })
  return [
    { ...target('sdk', 'plugin-sdk', sdk), stamp: hashFiles(root, [], [shared, hasCompiler(root) ? 'with declarations' : 'without']) },
    target('host', 'the host', join(root, 'host')),
    // A checkout may be without the browser's side, as it may be without any plugin.
    ...(existsSync(join(web, 'index.html')) ? [target('web', 'the dashboard', web)] : []),
    ...plugins.map((folder) => target('plugin', basename(folder), folder)),
  ]
}

/** Whether a target's dist is whole and made from these sources. */
export function isFresh({ folder, stamp }) {
  const written = readStamp(join(folder, 'dist', stampName))
  return written?.stamp === stamp && written.outputs.every((file) => existsSync(join(folder, 'dist', file)))
}
