import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Copies the checkout as it is, with changes that are not committed, so that nothing is ever changed in it. */
export function copyCheckout(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'agent-mutation-'))
  const files = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).split('\0')
  for (const file of files.filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  }
  linkPackages(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Packages of others stay where they are; the links to our own are copied, since they must lead to the changed code. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from).filter((each) => !each.startsWith('.'))) {
    if (name === '@agent') cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(from, name), join(to, name))
  }
}
