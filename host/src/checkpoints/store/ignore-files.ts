import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/**
 * The rules that hold in a folder and do not lie in it: those that a repository keeps beside its objects, and those of folders above it up to
 * the root of the repository. A rule with a place is taken where it is one inside of the folder.
 */
export function outerRules(folder: string): readonly string[] {
  const found: string[] = []
  for (let above = folder; ; above = dirname(above)) {
    const within = relative(above, folder).split(sep).join('/')
    const files = [...(above === folder ? [] : [join(above, '.gitignore')]), join(above, '.git', 'info', 'exclude')]
    // What stands nearer is said later.
    found.unshift(...files.reverse().flatMap((file) => readRules(file).flatMap((rule) => placeRule(rule, within))))
    if (existsSync(join(above, '.git'))) return found
    if (dirname(above) === above) return []
  }
}

const longestRules = 100_000

function readRules(file: string): readonly string[] {
  try {
    const text = readFileSync(file, 'latin1')
    return text.length > longestRules ? [] : text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
  } catch {
    // There is none, or it is no file.
    return []
  }
}

function placeRule(rule: string, within: string): readonly string[] {
  const [, not = '', place = ''] = /^(!?)(.*)$/.exec(rule) ?? []
  if (within === '' || !/\/(?=.)/.test(place)) return [rule]
  const inside = place.replace(/^\//, '')
  return inside.startsWith(`${within}/`) ? [`${not}/${inside.slice(within.length + 1)}`] : place.startsWith('**/') ? [rule] : []
}
