import { expect, test } from 'vitest'
import { fail } from '../../contract/errors.ts'
import { plainDialect, renderMarkup } from '../../contract/markup.ts'
import type { OutboundMessage, Receipt } from '../../contract/messages.ts'
import type { Platform } from '../../kinds/platform.ts'
import { manifests } from '../broken/manifest.ts'
import { alterContext, mailbox } from '../broken/sound-platform.ts'
import { openMailboxWorld } from '../broken/worlds.ts'
import { openClone } from '../rig/subject.ts'
import { platformContract } from './platform.ts'
import type { Disturbance } from './platform-world.ts'

const about = { platform: 'mailbox', detail: 'made up' }
const refused: Receipt = { status: 'refused', error: { code: 'SEND_REFUSED', params: about, retryAfterMs: 5 } }
const unknown: Receipt = { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: about } }

/** What a send does with a trouble: whether the message arrives, and what is told. */
type Answers = Partial<Record<Disturbance, readonly [arrives: boolean, told: Receipt]>>

const sound: Answers = { limit: [false, refused], error: [false, unknown], 'lose-receipt': [true, unknown] }

/** What the rule says of a connection that does this. */
async function tryTroubles(answers: Answers): Promise<string> {
  let trouble: Disturbance | undefined
  const entry = mailbox({
    connection: ({ send }) => ({
      send: async (message, call) => {
        const [arrives, told] = (trouble && answers[trouble]) ?? [true, undefined]
        trouble = undefined
        const receipt = arrives ? await send?.(message, call) : undefined
        return told ?? receipt ?? unknown
      },
    }),
  })
  const disturb = (what: Disturbance): boolean => {
    trouble = what in answers ? what : undefined
    return trouble !== undefined
  }
  const cases = platformContract({
    subject: {
      ...{ kind: 'platform', manifest: manifests.platform, contribution: 'mailbox', place: 'clone' },
      open: async () => openClone('platform', entry),
    },
    patienceMs: 500,
    world: async () => ({ ...(await openMailboxWorld()), disturb }),
  })
  return await (cases.find(({ rule }) => rule === 'trouble')?.run() ?? Promise.resolve('there is no such rule')).then(
    (untried) => untried ?? '',
    (error: Error) => error.message,
  )
}

test('what became of a send is told truly', async () => {
  expect(await tryTroubles(sound)).toBe('')
})

const wrong: Readonly<Record<string, readonly [answers: Answers, said: string]>> = {
  'a limit without a time': [
    { limit: [false, { ...refused, error: { code: 'SEND_REFUSED', params: about } }] },
    'without the time to wait',
  ],
  'a limit that is told like a wrong password': [
    { limit: [false, { ...refused, error: { code: 'PLATFORM_AUTH', params: about, retryAfterMs: 5 } }] },
    'PLATFORM_AUTH, which ends the attempts',
  ],
  'an error that is told as sent': [{ error: [false, { status: 'sent', platformId: '1' }] }, 'is told as sent, and did not arrive'],
  'a message that arrived and is told as refused': [{ 'lose-receipt': [true, refused] }, 'has arrived, and is told as not sent'],
  'an error without a code': [
    { error: [false, { ...unknown, error: { code: 'ODD', params: {} } }] },
    'the code ODD, which is not in the table',
  ],
}

test.each(Object.entries(wrong))('%s breaks the rule', async (_, [answers, said]) => {
  expect(await tryTroubles({ ...sound, ...answers })).toContain(said)
})

/** What the rule says of a platform that writes text with markup itself, and shows this of it. */
async function tryMarkup(show: (message: OutboundMessage) => string): Promise<string> {
  const platforms = manifests.platform.contributes.platforms.map((one) => ({ ...one, markup: 'tree' as const }))
  const manifest = { ...manifests.platform, contributes: { ...manifests.platform.contributes, platforms } }
  const entry = mailbox({
    connection: ({ send }) => ({
      send: async (message, call) => (await send?.({ ...message, text: show(message) }, call)) ?? unknown,
    }),
  })
  const open = async () => openClone('platform', entry)
  const subject = { kind: 'platform', manifest, contribution: 'mailbox', place: 'clone', open } as const
  const cases = platformContract({ subject, patienceMs: 500, world: openMailboxWorld })
  return await (cases.find(({ rule }) => rule === 'markup')?.run() ?? Promise.resolve('there is no such rule')).then(
    (untried) => untried ?? '',
    (error: Error) => error.message,
  )
}

test('a text with markup arrives with all of its words', async () => {
  const onOneLine = ({ body = [] }: OutboundMessage): string => renderMarkup(body, plainDialect).replaceAll('\n', ' ')
  expect(await tryMarkup(onOneLine)).toBe('')
  const withoutLinks = (message: OutboundMessage): string => onOneLine(message).replace('golf (https://example.org)', '')
  expect(await tryMarkup(withoutLinks)).toContain('of a text with markup golf did not arrive')
})

/** What a rule says of a platform. */
async function tryRule(name: string, entry: Platform<{ readonly port: number }>): Promise<string> {
  const open = async () => openClone('platform', entry)
  const subject = { kind: 'platform', manifest: manifests.platform, contribution: 'mailbox', place: 'clone', open } as const
  const cases = platformContract({ subject, patienceMs: 500, world: openMailboxWorld })
  return await (cases.find(({ rule }) => rule === name)?.run() ?? Promise.resolve('there is no such rule')).then(
    (untried) => untried ?? '',
    (error: Error) => error.message,
  )
}

test('a refused token does not stand in the error, and a broken line is no reason to give up', async () => {
  const loud = mailbox({ refuse: () => fail('PLATFORM_AUTH', { platform: 'mailbox', detail: 'nobody has the token wrong-token' }) })
  expect(await tryRule('errors', loud)).toContain('the value of MAILBOX_TOKEN is shown')
  const final = alterContext(({ lost }) => ({
    lost: () => lost({ retryable: true, error: { code: 'PLATFORM_AUTH', params: about } }),
  }))
  expect(await tryRule('lost', final)).toContain('PLATFORM_AUTH, which ends the attempts')
})
