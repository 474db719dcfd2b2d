import { existsSync, lstatSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openPendingFiles, type PendingFiles } from '#config/home/pending-files.ts'
import { skillFile } from '../find-skills.ts'
import type { HostSkills } from '../open-skills.ts'
import { hashSkill, placeSkill } from '../place-skill.ts'
import { typedName } from '../skill-name.ts'
import { diffSkill, draftSkill, requireNames, type SkillDraft } from './draft-skill.ts'
import { openMadeSkills } from './made-skills.ts'
import type { PendingSkill } from './parse-pending.ts'
import type { SkillWish } from './skill-wish.ts'

export interface SkillSettings {
  /** The agent's own skills are looked at as those of strangers are. */
  readonly guard: boolean
  /** Every change waits for an approval: `skills.write_approval`. */
  readonly approval: boolean
  /** The same where `memory.write_approval` wants it, of which skills are a part. */
  readonly approvalOfMemory: boolean
}

export interface SkillWritingOptions {
  readonly settings: () => SkillSettings
  readonly skills: Pick<HostSkills, 'index' | 'known'>
  /** Where the skills of the home lie. */
  readonly home: string
  /** Where it is kept which of them the agent has made. */
  readonly made: string
  /** Where changes wait. */
  readonly pending: string
  readonly clock: Clock
}

/** For whom a change is made, and who can say yes to it now. */
export interface WriteHow {
  readonly owner: string
  readonly session: string
  /** The owner of the profile is served: for others every change waits. */
  readonly isProfile: boolean
  /** Asks a person who is here; absent where nobody is. */
  readonly ask?: ((shown: ShownChange) => Promise<'yes' | 'no' | 'nobody'>) | undefined
}

export interface ShownChange {
  /** A change in one line. */
  readonly line: string
  /** What becomes different, as patches. */
  readonly diff: string
  readonly reason: string
}

/** What the agent may do with the skills of its home, and what people decide about that. */
export interface SkillWriting {
  readonly pending: PendingFiles<PendingSkill>
  wantsApproval(): boolean
  /** Decides about it for this process, until other settings are read. */
  setApproval(on: boolean): void
  /** Changes a skill, or lets the change wait; answers with the name under which it waits. */
  change(change: SkillWish, how: WriteHow): Promise<{ readonly waits?: string }>
  /** Lets a change wait that nobody asked for; answers with the name under which it waits. Rejects with SKILL_UNCHANGED where nobody may say yes to it. */
  propose(change: SkillWish, how: Pick<WriteHow, 'owner' | 'session'>): Promise<string>
  /** Makes a change that waited. Rejects with SKILL_UNCHANGED where the skill is not as it was. */
  approve(id: string): Promise<PendingSkill>
  /** What a change that waits would make different. */
  diff(id: string): Promise<string>
}

/** A change that can be made: what there is, and what there would be. */
interface Planned {
  readonly change: SkillWish
  /** The skill as it is; undefined where there is none. */
  readonly now: { readonly folder: string; readonly hash: string } | undefined
  /** Undefined where it goes. */
  readonly draft: SkillDraft | undefined
  readonly target: string
}

export function createSkillWriting(options: SkillWritingOptions): SkillWriting {
  const { settings, clock } = options
  const made = openMadeSkills(options.made)
  const pending = openPendingFiles<PendingSkill>({
    ...{ folder: options.pending, prefix: 'skl', mostBytes: 512 * 1024 },
    parse: async (text) => (await import('./parse-pending.ts')).parsePending(text),
    tooMany: (most) =>
      fail('SKILL_UNCHANGED', { problem: `${most} changes wait for approval already; a person has to look at them first` }),
    unknown: (id) => fail('SKILL_PENDING_UNKNOWN', { id }),
  })
  let said: { readonly on: boolean; readonly instead: boolean } | undefined
  const wantsApproval = (): boolean => {
    const { approval, approvalOfMemory } = settings()
    return approvalOfMemory || (said?.instead === approval ? said.on : approval)
  }

  function place({ change, draft, now, target }: Planned, session: string): void {
    made.change(change.skill, () => {
      const hash = existsSync(target) ? hashSkill(target) : undefined
      if (hash !== now?.hash) throw fail('SKILL_UNCHANGED', { problem: `${change.skill} was changed meanwhile` })
      const isOwn = now === undefined || made.isOwn(change.skill, hash)
      if (draft) placeSkill(draft.folder, target)
      else rmSync(target, { recursive: true, force: true })
      return draft && isOwn ? { session, at: clock.now(), hash: hashSkill(target) } : undefined
    })
  }

  const wait = ({ change, now }: Planned, how: Pick<WriteHow, 'owner' | 'session'>): Promise<string> =>
    pending.add({ ...how, at: clock.now(), before: now?.hash ?? null, change })

  return {
    ...{ pending, wantsApproval },
    setApproval: (on) => {
      said = { on, instead: settings().approval }
    },
    async change(change, { owner, session, isProfile, ask }) {
      const planned = await plan(options, change)
      using _ = planned.draft
      const reason = whyAsked(planned, { isProfile, wanted: wantsApproval(), isOwn: made.isOwn(change.skill, planned.now?.hash), settings })
      const answer = reason === undefined ? 'yes' : await ask?.({ ...(await show(planned)), reason })
      if (answer === 'no') throw fail('SKILL_UNCHANGED', { problem: 'the person did not agree' })
      if (answer !== 'yes') return { waits: await wait(planned, { owner, session }) }
      place(planned, session)
      return {}
    },
    async propose(change, how) {
      const planned = await plan(options, change)
      using _ = planned.draft
      requireHarmless(planned)
      return await wait(planned, how)
    },
    async approve(id) {
      const waiting = await pending.find(id)
      const planned = await plan(options, waiting.change)
      using _ = planned.draft
      if ((planned.now?.hash ?? null) !== waiting.before)
        throw fail('SKILL_UNCHANGED', { problem: `${waiting.change.skill} is not as it was when this was asked for` })
      if (settings().guard) requireHarmless(planned)
      place(planned, waiting.session)
      pending.remove(id)
      return waiting
    },
    async diff(id) {
      const planned = await plan(options, (await pending.find(id)).change)
      using _ = planned.draft
      return (await show(planned)).diff
    },
  }
}

async function plan({ skills, home }: SkillWritingOptions, change: SkillWish): Promise<Planned> {
  requireNames(change.action === 'create' ? change : { skill: change.skill })
  const found = (await skills.index()).skills.find(({ name }) => name === change.skill)
  const own = found?.plugin === undefined ? found : undefined
  const now = own && { folder: own.folder, hash: hashSkill(own.folder) }
  if (change.action === 'create') {
    const twin = found ?? skills.known().find(({ name }) => typedName(name) === typedName(change.skill))
    if (twin) throw fail('SKILL_UNCHANGED', { problem: `there is a skill ${twin.name} already` })
    const target = join(home, ...(change.category === undefined ? [] : [change.category]), change.skill)
    requireFolder(dirname(target), home)
    if (existsSync(target)) throw fail('SKILL_UNCHANGED', { problem: `something else lies in ${target}` })
    return { change, now, draft: await draftSkill(change, undefined), target }
  }
  if (!found) throw fail('SKILL_NOT_FOUND', { skill: change.skill })
  if (!now)
    throw fail('SKILL_UNCHANGED', {
      problem: `${change.skill} belongs to the plugin ${found.plugin}; a new one of another name can be made`,
    })
  requireInside(now.folder, home)
  const draft = change.action === 'delete' ? undefined : await draftSkill(change, now.folder)
  return { change, now, draft, target: now.folder }
}

/** Where a new skill would lie: a folder that is one already would take it for its files. */
function requireFolder(folder: string, home: string): void {
  if (folder === home || !existsSync(folder)) return
  requireInside(folder, home)
  if (existsSync(join(folder, skillFile))) throw fail('SKILL_UNCHANGED', { problem: `${folder} is a skill and no folder of skills` })
}

/** What a link leads to is not the home's, and nobody who says yes to a change of the home means it. */
function requireInside(folder: string, home: string): void {
  const isInside = realpathSync(folder).startsWith(realpathSync(home) + sep)
  if (!isInside || lstatSync(folder).isSymbolicLink())
    throw fail('SKILL_UNCHANGED', { problem: `${folder} is a link, and the agent changes nothing behind links` })
}

interface Circumstances {
  readonly isProfile: boolean
  readonly wanted: boolean
  /** The agent has made the skill, and nobody has changed it since. */
  readonly isOwn: boolean
  readonly settings: () => SkillSettings
}

/** Why a person decides about a change; undefined where it is made at once. */
function whyAsked(planned: Planned, { isProfile, wanted, isOwn, settings }: Circumstances): string | undefined {
  const { guard } = settings()
  const { verdict = 'safe', findings = [] } = planned.draft?.judged ?? {}
  if (guard) requireHarmless(planned)
  // Later sessions of everybody begin with what a skill says of itself.
  if (verdict === 'dangerous' || (guard && findings.length > 0)) return `the scanner found something: ${findings.join('; ')}`
  if (wanted) return 'skills.write_approval wants your approval of what the agent writes into skills'
  if (!isProfile) return 'somebody else asked for it, and skills are for everybody'
  if (planned.now !== undefined && !isOwn) return 'a person made or changed this skill'
  return undefined
}

/** Throws SKILL_UNCHANGED where nobody may say yes. */
function requireHarmless({ draft }: Planned): void {
  const { verdict = 'safe', findings = [] } = draft?.judged ?? {}
  if (verdict === 'dangerous') throw fail('SKILL_UNCHANGED', { problem: findings.join('; ') })
}

async function show({ change, now, draft }: Planned): Promise<{ readonly line: string; readonly diff: string }> {
  return { line: describeSkillChange(change), diff: await diffSkill(now?.folder, draft?.folder) }
}

/** A change in one line, for the person who looks at it. */
export function describeSkillChange(change: SkillWish): string {
  if (change.action === 'create') return `make the skill ${change.skill}`
  if (change.action === 'delete') return `delete the skill ${change.skill}`
  return `${change.action === 'remove' ? 'delete' : 'change'} ${change.file} of the skill ${change.skill}`
}
