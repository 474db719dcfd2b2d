import { text as readText } from 'node:stream/consumers'
import type { TurnEvent, TurnRequest, TurnStatus } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { withSkills } from '#commands/follow-skills.ts'
import { createCall } from '#kernel/calls/call.ts'
import type { Cli } from '../console/cli.ts'
import type { ChatOptions } from './conversation/chat-options.ts'
import { findChatSession, openChat, readWish } from './conversation/open-chat.ts'

/** One full turn, stored like any other; standard output holds the answer alone. */
export async function runOneShot(cli: Cli, prompt: string, options: ChatOptions): Promise<void> {
  const input = prompt === '-' ? await readText(cli.input) : prompt
  if (input.trim() === '') throw fail('USAGE', { problem: 'The prompt is empty.', try: 'agent chat -z "hello"' })
  const agent = await openChat(cli, options)
  try {
    const session = await findChatSession(cli, agent, options)
    const request: TurnRequest = {
      input: [{ type: 'text', text: input }],
      source: 'oneshot',
      canAnswer: false,
      ...(await readWish(agent, options)),
      ...(session ? { session } : {}),
    }
    for await (const event of agent.turns.run(await withSkills(agent.skills, request), createCall(cli.signal))) show(cli, event)
  } finally {
    await agent.close()
  }
}

function show(cli: Cli, event: TurnEvent): void {
  if (event.type === 'status') cli.note(event.text)
  if (event.type === 'error') cli.note(`agent: ${event.text}`)
  if (event.type !== 'message.complete') return
  if (event.text !== '') cli.out(event.text)
  cli.exit(exitCodes[event.status])
}

const exitCodes: { readonly [Status in TurnStatus]: number } = { complete: 0, length: 0, interrupted: 130, failed: 1, 'max-iterations': 1 }
