import { isDatabase } from '../shell/databases.ts'
import { isAmong, type Names } from '../shell/names.ts'
import { onlySays } from '../shell/only-says.ts'
import type { ProgramRun } from '../shell/walk.ts'
import { asksForHelp, isFree, isFreePackage, isMaker } from './free-programs.ts'
import { type ProgramVerbs, programVerbs } from './program-verbs.ts'
import { changesData } from './read-statements.ts'

/** A program, or what it is told to do, that no table knows. */
export interface UnknownRun {
  /** What a rule would hold: the program and its subcommand. */
  readonly name: string
  readonly sentence: string
}

/** What makes a run a question although no danger is known: undefined for the work of every day. */
export function judgeProgram(run: ProgramRun): UnknownRun | undefined {
  const [name = ''] = run.words
  if (/^\$(?!\()/.test(name)) return unknown(name, `it is not known which program ${name} is`)
  if (run.isTextKnown || isNoProgram(name)) return undefined
  if (run.script !== undefined) return unknown(run.script, `it runs ${run.script}, which is not part of the work`)
  if (run.place === 'elsewhere') return unknown(run.program, `it runs ${run.program}, which is not part of the work`)
  return judgeKnown(run)
}

/** Arithmetic, a part of the shell's grammar, or what is made while it runs: that is another question. */
const isNoProgram = (name: string): boolean => name === '' || /[$`*?[\]{}()<>]|^\w+(\+\+|--)$|^-?\d+$/.test(name)

function judgeKnown({ words, program, place, isFetched, input }: ProgramRun): UnknownRun | undefined {
  const [name = '', ...rest] = words
  // A package of a stranger runs its code whatever it is asked.
  if (!isFetched && (asksForHelp(rest) || onlySays(words))) return undefined
  const verbs = Object.hasOwn(programVerbs, name) ? programVerbs[name] : undefined
  if (verbs) return judgeVerbs(name, rest, verbs) ?? judgeMaker(name, rest) ?? judgeGlobal(name, rest)
  if (place === 'workspace') return undefined
  if (place === 'package' ? !isFreePackage(program) : !isFree(name)) return unknown(name, `it is not known here what ${name} does`)
  return isDatabase(name) || /^(mongo(sh)?|redis-cli)$/.test(name) ? judgeStatements(name, rest, input) : undefined
}

function judgeStatements(name: string, rest: readonly string[], input: string): UnknownRun | undefined {
  const text = changesData(name, rest, input)
  return text === undefined ? undefined : unknown(`${name} ${text}`, `it is not known here what "${text}" does to a database`)
}

const unknown = (subject: string, sentence: string): UnknownRun => ({ name: `program: ${subject}`, sentence })

function judgeVerbs(name: string, rest: readonly string[], verbs: ProgramVerbs): UnknownRun | undefined {
  if (verbs.options) {
    const { options } = verbs
    const odd = rest.find((word) => word.startsWith('-') && !isAmong(options, word))
    return odd === undefined ? undefined : unknown(`${name} ${odd}`, `it is not known here what ${name} ${odd} does`)
  }
  const operands = operandsOf(rest, verbs.valued)
  const [first = '', second = ''] = operands
  if (first === '' || isKnown(operands, verbs)) return undefined
  const deep = verbs.free?.split(' ').some((verb) => verb.startsWith(`${first}.`)) || verbs.reads !== undefined
  const shown = [name, first, ...(deep && second !== '' ? [second] : [])].join(' ')
  return unknown(shown, `it is not known here what ${shown} does`)
}

/** `npm create name` runs the package `create-name`. */
function judgeMaker(name: string, rest: readonly string[]): UnknownRun | undefined {
  const [verb = '', maker] = rest.filter((word) => !word.startsWith('-'))
  if (!/^(npm|pnpm|yarn|bun)$/.test(name) || !/^(create|init|innit)$/.test(verb) || maker === undefined) return undefined
  if (isMaker(maker) || isFreePackage(maker)) return undefined
  return unknown(`${name} ${verb} ${maker}`, `it is not known here what ${maker} does`)
}

/** A package that is installed for all of the user's work runs from then on by its name. */
function judgeGlobal(name: string, rest: readonly string[]): UnknownRun | undefined {
  const [verb = '', ...packages] = rest.filter((word) => !word.startsWith('-') && word !== 'global')
  const isGlobal = rest.some((word) => /^(-g|--global|--location=global|global)$/.test(word))
  if (!isGlobal || !/^(npm|pnpm|yarn|bun)$/.test(name) || !/^(i|install|add|in)$/.test(verb)) return undefined
  const odd = packages.find((each) => !isFree(each) && !isFreePackage(each) && !Object.hasOwn(programVerbs, each.replace(/(.)@.*$/, '$1')))
  return odd === undefined
    ? undefined
    : unknown(`${name} --global ${odd}`, `it is not known here what ${odd} does, which it installs for all that you do`)
}

function isKnown(operands: readonly string[], { free, asks, reads }: ProgramVerbs): boolean {
  if (reads !== undefined) return isAmong(reads, operands.join(' '))
  const [first = '', second = ''] = operands
  const names = [first, `${first}.${second}`]
  const has = (list: string): boolean => list.split(' ').some((verb) => names.includes(verb))
  if (asks !== undefined && has(asks)) return false
  return free === undefined || has(free) || (second === '' && free.split(' ').some((verb) => verb.startsWith(`${first}.`)))
}

/** The words that are no options, from the subcommand on. */
function operandsOf(words: readonly string[], valued: Names | undefined): readonly string[] {
  const isValue = (before = ''): boolean => valued !== undefined && isAmong(valued, before)
  return words.filter((word, index) => !word.startsWith('-') && !word.startsWith('+') && !isValue(words[index - 1]))
}
