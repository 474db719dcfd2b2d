import type { ToolCall } from '@agent/plugin-sdk'
import type { ToolTurn } from '../tool-turn.ts'
import { askOnce } from './ask-once.ts'
import { profileOwner } from './owner.ts'

type Skills = NonNullable<ToolCall['skills']>

/** Where changes of skills are made: for whom, and who can say yes now. */
export interface SkillChanges {
  change(
    change: Parameters<Skills['change']>[0],
    how: {
      readonly owner: string
      readonly session: string
      readonly isProfile: boolean
      readonly ask:
        | ((shown: { readonly line: string; readonly diff: string; readonly reason: string }) => Promise<'yes' | 'no' | 'nobody'>)
        | undefined
    },
  ): ReturnType<Skills['change']>
}

/** A person who is asked sees so much of a change; /skills diff shows all of one that waits. */
const mostShown = 4000

/** What a call of a tool may do with the skills of the home. */
export function skillsOf(changes: SkillChanges, turn: ToolTurn): Skills {
  const { owner, session } = turn
  const isProfile = owner === profileOwner
  const ask = turn.canAnswer && isProfile ? askIn(turn) : undefined
  return { change: (change) => changes.change(change, { owner, session, isProfile, ask }) }
}

function askIn(turn: ToolTurn): NonNullable<Parameters<SkillChanges['change']>[1]['ask']> {
  return async ({ line, diff, reason }) => {
    const shown = diff.length > mostShown ? `${diff.slice(0, mostShown)}\n… and more` : diff
    return askOnce(turn, { tool: 'skill_manage', subject: `${line}\n${shown}`.trimEnd(), reason })
  }
}
