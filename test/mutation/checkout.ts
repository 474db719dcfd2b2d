import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hasFile, pluginFolders } from '../repo/plugin-folders.ts'

/** Copies the checkout as it is, with changes that are not committed, so that nothing is ever changed in it. */
export function copyCheckout(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'agent-mutation-'))
  const files = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).split('\0')
  for (const file of files.filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  }
  copyBuiltPlugins(root, copy)
  linkPackages(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Tests that open a whole agent load its plugins as they were built. */
function copyBuiltPlugins(root: string, copy: string): void {
  for (const folder of pluginFolders.filter((each) => hasFile(each, 'dist'))) {
    const dist = join(folder.path, 'dist')
    cpSync(join(root, dist), join(copy, dist), { recursive: true })
  }
}

/** Packages of others stay where they are; the links to our own are copied, since they must lead to the changed code. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from).filter((each) => !each.startsWith('.'))) {
    if (name === '@agent') cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(from, name), join(to, name))
  }
}
