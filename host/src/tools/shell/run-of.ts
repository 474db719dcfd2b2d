import { heldTexts } from './held-texts.ts'
import type { SimpleCommand } from './parse-commands.ts'
import { scriptsOf } from './program-files.ts'
import type { Unwrapped } from './unwrap-command.ts'
import { isInside, type ProgramRun, placePath, type Walk } from './walk.ts'

/** Folders in which installed programs lie. */
const usualFolders =
  /^(\/(usr\/|usr\/local\/|opt\/homebrew\/|snap\/|nix\/store\/[^/]+\/)?s?bin\/|\/opt\/[\w.-]+\/bin\/|\/usr\/(lib|libexec|share)\/)[^/]*|\/(\.local|\.cargo|go|\.bun|\.deno|\.npm-global|\.dotnet|\.pyenv|\.rbenv|\.nvm|\.volta|\.asdf|\.foundry|\.krew|\.composer|\.yarn|\.pnpm|miniconda3|anaconda3|\.local\/share\/\w+)\/(.*\/)?s?bin\/[^/]*$|\/node_modules\/\.bin\/[^/]*$|\/\.?venv\/bin\/[^/]*$/
const packageRunners = /^(npx|bunx|npm|pnpm|yarn|bun)$/

/** The program that a command would run; undefined where it is none, or is made by the command itself. */
export function runOf({ program, words, wrappers }: Unwrapped, command: SimpleCommand, walk: Walk): ProgramRun | undefined {
  if (words.length === 0 || walk.isGuess || walk.functions.has(program)) return undefined
  // `npx @scope/name`, `npx owner/name`, `npx https://…`
  const isFetched = packageRunners.test(wrappers.at(-1) ?? '')
  const isPackage = isFetched && /^[\w@][^:]*[/:]|^[\w+]+:/.test(program)
  const isTextKnown = heldTexts(program, words, command, walk).some(({ type }) => type !== 'unknown') && program.includes('/')
  const script = scriptElsewhere(program, words, walk)
  return {
    program,
    words,
    input: command.input,
    place: isPackage ? 'package' : placeOf(program, walk),
    isTextKnown,
    isFetched,
    ...(script && { script }),
  }
}

/** Start files that people load into their shell, and what a manager of versions brings. */
const loadedFiles = /\/(\.[\w.-]+|\.[\w.-]+\/.*|activate|[\w.-]*completion[\w.-]*|conda\.sh|nvm\.sh)$/

function scriptElsewhere(program: string, words: readonly string[], walk: Walk): string | undefined {
  const [name = ''] = words
  for (const { path, type } of scriptsOf(words, program)) {
    if (type === 'package' || type === 'make') continue
    const place = placePath(path, walk)
    const isKnown =
      walk.made.has(place) || walk.place.written?.has(place) === true || /^\/dev\/(stdin|fd\/|null)/.test(place) || place === ''
    const isLoaded = (name === 'source' || name === '.') && place.startsWith(`${walk.place.userHome}/`) && loadedFiles.test(place)
    if (!isKnown && !isLoaded && placeOf(place, walk) === 'elsewhere') return place
  }
  return undefined
}

function placeOf(program: string, walk: Walk): ProgramRun['place'] {
  if (!program.includes('/') || /^\$\(/.test(program)) return 'usual'
  const path = placePath(program, walk)
  const { folder } = walk.place
  if (isInside(path, walk) || path.startsWith(`${folder}/`) || !path.startsWith('/')) return 'workspace'
  return usualFolders.test(path) || walk.made.has(path) ? 'usual' : 'elsewhere'
}

const made = /(?<![\w-])(?:function\s{1,8}([\w.-]{1,60})|([\w.-]{1,60})\s{0,8}\(\s{0,8}\)|alias\s{1,8}([\w.-]{1,60})=)/g

/** Functions and aliases that a text defines. */
export const namesMade = (source: string): readonly string[] => [...source.matchAll(made)].map(([, a = '', b = '', c = '']) => a || b || c)
