import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Break } from './breaks.ts'

/** The one file that a break changes, and its text. Throws where the code is not what the break was written for. */
export function findBroken(root: string, { name, file, find }: Break): { readonly path: string; readonly text: string } {
  const folder = join(root, 'host', 'src')
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => `/${path}`.endsWith(`/${file}`))
  const [path] = found
  if (path === undefined || found.length > 1)
    throw new Error(`"${name}" breaks ${file}, and ${found.length} paths in host/src end so: correct it in breaks.ts.`)
  const text = readFileSync(join(folder, path), 'utf8')
  const times = text.split(find).length - 1
  if (times !== 1)
    throw new Error(`"${name}" breaks a text that stands ${times} times in host/src/${path}: correct it in breaks.ts. It is ${find}`)
  return { path: join(folder, path), text }
}

/** Breaks a copy of the repository; what is given back mends it. */
export function applyBreak(copy: string, one: Break): () => void {
  const { path, text } = findBroken(copy, one)
  writeFileSync(
    path,
    text.replace(one.find, () => one.replace),
  )
  return () => writeFileSync(path, text)
}
