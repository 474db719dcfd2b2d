const special = /[.+^${}()|[\]\\]/g

/**
 * A glob as a regular expression over a `/`-separated path: `*`, `?`, `**`, `[abc]` and `{a,b}`.
 * A glob without a slash fits the file's name in any folder.
 */
export function compileGlob(glob: string): RegExp {
  const anchored = glob.replace(/^\.?\//, '')
  return new RegExp(`^${glob.includes('/') ? '' : '(?:.*/)?'}${translate(anchored)}$`, 'u')
}

function translate(glob: string): string {
  return glob.replaceAll(/\*\*\/|\*\*|\*|\?|\[!?[^\]/]+\]|\{[^{}]*\}|[\s\S]/gu, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1 && part.startsWith('[')) return part.replace('[!', '[^').replaceAll('\\', '\\\\')
    if (part.length > 1 && part.startsWith('{')) return `(?:${part.slice(1, -1).split(',').map(translate).join('|')})`
    return part.replaceAll(special, '\\$&')
  })
}
