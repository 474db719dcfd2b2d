import type { TurnEvent } from '@agent/plugin-sdk'
import type { DoorRequest } from '#agent/turn/prepare-turn.ts'
import type { AgentTurns } from '#agent/turn/turns.ts'
import { readSkillCall } from './skill-commands.ts'
import type { SkillDesk } from './slash.ts'

type RunTurn = AgentTurns['run']

/** Turns that follow the skills in front of what is said, for doors that ask without the inbox: of commands they know no other. */
export function followSkills(skills: SkillDesk, run: RunTurn): RunTurn {
  return (request, call, door) =>
    slashOf(request) === undefined ? run(request, call, door) : runFollowing(skills, run, [request, call, door])
}

async function* runFollowing(skills: SkillDesk, run: RunTurn, [request, call, door]: Parameters<RunTurn>): AsyncIterable<TurnEvent> {
  yield* run(await withSkills(skills, request), call, door)
}

/** The request with what its skills instruct. */
export async function withSkills(skills: SkillDesk, request: DoorRequest): Promise<DoorRequest> {
  const line = slashOf(request)
  const found = line === undefined ? undefined : await readSkillCall(skills, line)
  if (!found) return request
  const instructions = [found.instructions, request.instructions].filter((each) => each !== undefined).join('\n\n')
  return { ...request, input: [{ type: 'text', text: found.text }, ...request.input.slice(1)], instructions }
}

function slashOf({ input: [first] }: DoorRequest): string | undefined {
  return first?.type === 'text' && /^\s*\//.test(first.text) ? first.text : undefined
}
