import { existsSync, readdirSync } from 'node:fs'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** The kinds of which an example is there. */
export function listKinds(examples: string): readonly string[] {
  return existsSync(examples)
    ? readdirSync(examples, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    : []
}

/** Copies an example under another name. The word `sample` in it stands for the name, in each of its spellings. */
export async function copyExample(from: string, to: string, name: string): Promise<readonly string[]> {
  const own = (path: string): boolean => !['dist', 'node_modules'].includes(basename(path))
  await cp(from, to, { recursive: true, filter: own })
  const files = (await readdir(to, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths) await writeFile(path, rename(await readFile(path, 'utf8'), name))
  return paths
}

/** `my-dice` is also `my_dice`, `MY_DICE` and `My Dice`, and needs quotes as a key. */
export function rename(text: string, name: string): string {
  const words = name.split('-')
  return text
    .replace(/\bsample(?=: \{)/g, words.length > 1 ? `'${name}'` : name)
    .replaceAll('SAMPLE', words.join('_').toUpperCase())
    .replaceAll('Sample', words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' '))
    .replaceAll('sample_', `${words.join('_')}_`)
    .replaceAll('sample', name)
}
