import { expect, test } from 'vitest'
import type { Platform } from '../../kinds/platform.ts'
import { manifests } from '../broken/manifest.ts'
import { alterContext, mailbox } from '../broken/sound-platform.ts'
import { openMailboxWorld } from '../broken/worlds.ts'
import { openClone } from '../rig/subject.ts'
import { platformContract } from './platform.ts'
import type { PlatformWorld } from './platform-world.ts'

/** What a rule says of a platform; nothing where it holds. */
async function tryRule(rule: string, entry: Platform<{ readonly port: number }>, more: Partial<PlatformWorld> = {}): Promise<string> {
  const cases = platformContract({
    subject: {
      ...{ kind: 'platform', manifest: manifests.platform, contribution: 'mailbox', place: 'clone' },
      open: async () => openClone('platform', entry),
    },
    patienceMs: 500,
    world: async () => ({ ...(await openMailboxWorld()), ...more }),
  })
  return await (cases.find((one) => one.rule === rule)?.run() ?? Promise.resolve('there is no such rule')).then(
    (untried) => untried ?? '',
    (error: Error) => error.message,
  )
}

test('two messages with one id are named', async () => {
  const counted = alterContext(({ receive }) => ({ receive: (message) => receive({ ...message, id: 'same' }) }))
  expect(await tryRule('inbound', counted)).toContain('two messages have the same id same: "first words" and "second words"')
})

test('a message that is handed in twice is named', async () => {
  const twice = alterContext(({ receive }) => ({
    receive: async (message) => {
      await receive(message)
      return await receive(message)
    },
  }))
  expect(await tryRule('inbound', twice)).toContain('is handed in twice')
})

test('a trouble that ends the connection is told as that, with what the world has to do', async () => {
  const ends = mailbox({
    connection: ({ send }, { lost }) => {
      let isOver = false
      return {
        send: async (message, call) => {
          const error = { code: 'PLATFORM_LOST', params: { platform: 'mailbox', detail: 'made up' } }
          if (isOver) throw new Error('the connection is over')
          if (!message.text.includes('garbage')) return (await send?.(message, call)) ?? { status: 'unknown', error }
          isOver = true
          lost({ retryable: true, error })
          return { status: 'unknown', error }
        },
      }
    },
  })
  const said = await tryRule('trouble', ends, { disturb: (what) => what === 'garbage' })
  expect(said).toContain('nothing is delivered: the connection was lost (PLATFORM_LOST).')
  expect(said).toContain('on the same connection')
})
