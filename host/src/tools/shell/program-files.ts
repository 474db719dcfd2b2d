import { readFileSync, statSync } from 'node:fs'
import { isShell } from './inner-commands.ts'
import { isAmong, type Names } from './names.ts'

/** A program that takes its text from the command. */
export interface InlineProgram {
  readonly texts: readonly string[]
  /** Reads its program from what it is fed. */
  readonly takesInput: boolean
}

/** A file that a command runs. */
export interface ScriptFile {
  readonly path: string
  readonly type: 'shell' | 'script' | 'package' | 'make'
  /** The script of a package that is run. */
  readonly target?: string
}

const interpreters: readonly (readonly [name: Names, text: Names])[] = [
  [/^(python[\d.]*|pypy3?|ipython3?|jython)$/, /^-[a-zA-Z]*c$/],
  [/^(perl[\d.]*|ruby[\d.]*|jruby)$/, /^-[a-zA-Z0-9]*[eE]$/],
  ['node nodejs bun tsx ts-node', '-e -p -pe -ep --eval --print'],
  [/^(n?vim?|ex|view|gvim)$/, '-c --cmd -es -sc'],
  ['deno', 'eval'],
  [/^php[\d.]*$/, /^-[a-zA-Z]*[rBRE]$/],
  [
    /^(lua[\d.]*|luajit|osascript|Rscript|julia|elixir|groovy|scala|ghc|swift|guile|racket|clojure|bb|tclsh|wish|R|erl|ocaml|sbcl|emacs|octave|jshell|raku|nim|crystal|dart|janet|gjs|qjs|d8|mongo|mongosh|redis-cli|irb|pry|gdb|lldb)$/,
    '-e -p -pe --eval --print -c -r --execute -eval --command -ex --batch-eval -x',
  ],
]

/** The program that an interpreter is given in words; undefined for other programs. */
export function programOf([name = '', ...rest]: readonly string[]): InlineProgram | undefined {
  const row = interpreters.find(([names]) => isAmong(names, name))
  if (!row) return undefined
  const texts = rest.flatMap((word, index) => {
    const attached = /^(?:--eval|--print)=(.*)$/s.exec(word)?.[1]
    if (attached !== undefined) return [attached]
    return isAmong(row[1], word) ? [rest[index + 1] ?? ''] : []
  })
  const isFed =
    texts.length === 0 &&
    !rest.some((word) => !word.startsWith('-') && !/^(run|exec)$/.test(word)) &&
    !rest.some((word) => /^(--version|-V|-v|--help|-h|-m)$/.test(word))
  return { texts, takesInput: isFed || rest.includes('-') || rest.includes('/dev/stdin') }
}

/** The files that a command runs: scripts, start-up files, the scripts of a package. */
export function scriptsOf(words: readonly string[], written: string): readonly ScriptFile[] {
  const [name = '', ...rest] = words
  if ((programOf(words)?.texts.length ?? 0) > 0) return []
  const file = rest.find((word) => !word.startsWith('-'))
  const one = (path: string | undefined, type: ScriptFile['type']): readonly ScriptFile[] => (path === undefined ? [] : [{ path, type }])
  if (isShell(name) || name === 'source' || name === '.') return rest.some((word) => /^-[a-z]*c$/.test(word)) ? [] : one(file, 'shell')
  // The file that an editor is given is text; what it loads is a program.
  if (/^(n?vim?|ex|view|gvim|emacs)$/.test(name))
    return rest.flatMap((word, index) => (/^(-S|-u|-l|-s|--load|--script)$/.test(rest[index - 1] ?? '') ? one(word, 'script') : []))
  const isInterpreter = interpreters.some(([names]) => isAmong(names, name))
  const scripts = isInterpreter ? one(file === 'run' ? rest[rest.indexOf('run') + 1] : file, 'script') : []
  // `bun run name` runs a script of the package, or a file.
  if (/^(npm|pnpm|yarn|bun)$/.test(name)) return [...scripts, { path: 'package.json', type: 'package', target: packageTarget(rest) }]
  if (isInterpreter) return scripts
  if (/^g?make$/.test(name)) return makefiles(rest)
  // `./run.sh`; a program by its bare name is not one that was just written.
  return one(written.includes('/') ? written : undefined, 'shell')
}

function packageTarget(words: readonly string[]): string {
  const [verb = '', name = ''] = words.filter((word) => !word.startsWith('-'))
  return /^(run|run-script|exec)$/.test(verb) ? name : verb
}

function makefiles(words: readonly string[]): readonly ScriptFile[] {
  const named = words.filter((_word, index) => words[index - 1] === '-f')
  return ['Makefile', 'makefile', 'GNUmakefile', ...named].map((path) => ({ path, type: 'make' }))
}

const largestFile = 300_000

export function readHeld(path: string): string | undefined {
  try {
    return statSync(path).size > largestFile ? undefined : readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

export function packageScripts(text: string, target: string): readonly string[] {
  const scripts = /"scripts"\s*:\s*\{([\s\S]*?)\}/.exec(text)?.[1] ?? ''
  const name = /^(i|install|ci|add)$/.test(target) ? 'install' : target
  return [...scripts.matchAll(/"([^"]+)"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].flatMap(([, key = '', value = '']) =>
    [name, `pre${name}`, `post${name}`, ...(name === 'install' ? ['prepare', 'preinstall', 'postinstall'] : [])].includes(key)
      ? [value.replaceAll(/\\(.)/g, '$1')]
      : [],
  )
}

/** The commands of a makefile. */
export const recipes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.startsWith('\t'))
    .map((line) => line.replace(/^\t[@+-]*/, '').replaceAll('$$', '$'))
    .join('\n')
