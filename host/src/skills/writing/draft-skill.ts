import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { skillFileLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { hashFiles, isLink } from '#kernel/installed/plugin-files.ts'
import { skillFile } from '../find-skills.ts'
import { type JudgedSkill, judgeSkill } from '../judge-skill.ts'
import { isSkillName } from '../skill-name.ts'
import type { SkillWish } from './skill-wish.ts'

/** A skill as it would be after a change, in a folder that goes with it. */
export interface SkillDraft extends Disposable {
  readonly folder: string
  readonly judged: JudgedSkill
}

const unchanged = (problem: string): Error => fail('SKILL_UNCHANGED', { problem })

/** Makes a changed copy of a skill, or a new one, and looks at it. Rejects with SKILL_UNCHANGED where it would be no skill. */
export async function draftSkill(change: Exclude<SkillWish, { action: 'delete' }>, from: string | undefined): Promise<SkillDraft> {
  const outer = mkdtempSync(join(tmpdir(), 'skill-'))
  const folder = join(outer, 'skill')
  try {
    if (from === undefined) mkdirSync(folder)
    else cpSync(from, folder, { recursive: true, verbatimSymlinks: true })
    // What is written through a link is written elsewhere, before anybody has looked.
    const link = hashFiles(folder).find(({ path }) => isLink(join(folder, path)))
    if (link) throw unchanged(`${change.skill} contains a link: ${link.path}`)
    changeFile(folder, change)
    const judged = await judgeSkill(folder)
    if ('problem' in judged) throw unchanged(judged.problem)
    if (judged.skill.name !== change.skill) throw unchanged(`its ${skillFile} says that it is ${judged.skill.name}, not ${change.skill}`)
    return { folder, judged, [Symbol.dispose]: () => rmSync(outer, { recursive: true, force: true }) }
  } catch (error) {
    rmSync(outer, { recursive: true, force: true })
    throw error
  }
}

function changeFile(folder: string, change: Exclude<SkillWish, { action: 'delete' }>): void {
  if (change.action === 'create') write(folder, skillFile, change.text)
  else if (change.action === 'write') write(folder, change.file, change.text)
  else if (change.action === 'remove') removeFile(folder, change.file)
  else replaceText(folder, change)
}

function removeFile(folder: string, file: string): void {
  if (file === skillFile) throw unchanged(`without its ${skillFile} it is no skill; delete removes it as a whole`)
  rmSync(requireFile(folder, file))
}

function replaceText(folder: string, { file, old, text }: Extract<SkillWish, { action: 'patch' }>): void {
  const before = readFileSync(requireFile(folder, file), 'utf8')
  const count = old === '' ? 0 : before.split(old).length - 1
  if (count === 0) throw unchanged(`${file} has no such text`)
  if (count > 1) throw unchanged(`the text stands in ${file} ${count} times; give more of it`)
  write(
    folder,
    file,
    before.replace(old, () => text),
  )
}

function requireFile(folder: string, file: string): string {
  const path = join(folder, requirePath(file))
  if (!existsSync(path)) throw unchanged(`it has no file ${file}`)
  return path
}

function write(folder: string, file: string, text: string): void {
  if (Buffer.byteLength(text) > skillFileLimit) throw unchanged(`${file} would be larger than ${skillFileLimit / 1024} KiB`)
  const path = join(folder, requirePath(file))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Names of files and folders that begin with no dot, so that no path leads out of the skill or to what is hidden in it. */
const plainPath = /^[A-Za-z0-9_][\w. -]{0,99}(?:\/[A-Za-z0-9_][\w. -]{0,99}){0,4}$/

function requirePath(file: string): string {
  if (!plainPath.test(file)) throw unchanged(`"${file.slice(0, 80)}" is no path of a file in it, such as references/format.md`)
  return file
}

/** Throws SKILL_UNCHANGED where a skill cannot be called or sorted so. */
export function requireNames({ skill, category }: { readonly skill: string; readonly category?: string | undefined }): void {
  const isName: (name: string) => boolean = isSkillName
  if (!isName(skill))
    throw unchanged(`"${skill.slice(0, 80)}" is no name of a skill: letters, digits, dots, hyphens, underscores, at most 64`)
  if (category !== undefined && !isName(category)) throw unchanged(`"${category.slice(0, 80)}" is no name of a folder of skills`)
}

/** What a change makes different, as patches of its files; `after` is undefined where the skill goes. */
export async function diffSkill(before: string | undefined, after: string | undefined): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const textOf = (folder: string | undefined, path: string): string | undefined =>
    folder === undefined || !existsSync(join(folder, path)) ? undefined : readFileSync(join(folder, path), 'utf8')
  const paths = new Set([before, after].flatMap((folder) => (folder === undefined ? [] : hashFiles(folder).map(({ path }) => path))))
  return [...paths]
    .sort()
    .flatMap((path) => {
      const [old, fresh] = [textOf(before, path), textOf(after, path)]
      if (old === fresh) return []
      const names = [old === undefined ? '/dev/null' : `a/${path}`, fresh === undefined ? '/dev/null' : `b/${path}`] as const
      return [createTwoFilesPatch(...names, old ?? '', fresh ?? '', undefined, undefined, { headerOptions: FILE_HEADERS_ONLY })]
    })
    .join('')
}
