import { expect, test } from 'vitest'
import type { PlatformContext } from '../../contract/context.ts'
import { fail } from '../../contract/errors.ts'
import type { OutboundMessage, Receipt } from '../../contract/messages.ts'
import type { Connection, Platform, PlatformManifest } from '../../kinds/platform.ts'
import { manifests } from '../broken/manifest.ts'
import { alterContext, type MailboxContext, mailbox } from '../broken/sound-platform.ts'
import { openMailboxWorld } from '../broken/worlds.ts'
import { openClone } from '../rig/subject.ts'
import { platformContract } from './platform.ts'
import type { PlatformWorld } from './platform-world.ts'

type Entry = Platform<{ readonly port: number }>

/** What a rule says of a platform; nothing where it holds. */
async function tryRule(
  rule: string,
  entry: Entry,
  { world = {}, spec = {} }: { readonly world?: Partial<PlatformWorld>; readonly spec?: Partial<PlatformManifest> } = {},
): Promise<string> {
  const platforms = manifests.platform.contributes.platforms.map((each) => ({ ...each, ...spec }))
  const manifest = { ...manifests.platform, contributes: { ...manifests.platform.contributes, platforms } }
  const cases = platformContract({
    subject: { kind: 'platform', manifest, contribution: 'mailbox', place: 'clone', open: async () => openClone('platform', entry) },
    patienceMs: 500,
    world: async () => ({ ...(await openMailboxWorld()), ...world }),
  })
  return await (cases.find((one) => one.rule === rule)?.run() ?? Promise.resolve('there is no such rule')).then(
    (untried) => untried ?? '',
    (error: Error) => error.message,
  )
}

const about = { platform: 'mailbox', detail: 'made up' }
const altered = (change: (sound: Connection, context: MailboxContext) => Partial<Connection>): Entry => mailbox({ connection: change })
const sending = (change: (message: OutboundMessage) => OutboundMessage): Entry =>
  altered(({ send }) => ({ send: async (message, call) => (await send?.(change(message), call)) as Receipt }))
const receiving = (change: Parameters<typeof alterContext>[0]): Entry => alterContext(change)
const texts = (change: (text: string) => string): Entry =>
  receiving(({ receive }) => ({ receive: (message) => receive({ ...message, text: change(message.text) }) }))

const counted = receiving(({ receive }) => {
  let count = 0
  return {
    receive: (message) => {
      count += 1
      return receive({ ...message, id: String(count) })
    },
  }
})

const connecting = (change: (context: MailboxContext) => MailboxContext | Connection | Error): Entry => ({
  connect: async (context, call) => {
    const given = change(context as MailboxContext)
    if (given instanceof Error) throw given
    return 'close' in given ? given : await mailbox().connect(given, call)
  },
})

const idle: Connection = {
  send: async () => ({ status: 'sent', platformId: '1' }),
  identity: async () => ({ id: 'bot', name: 'Bot' }),
  lastHeard: async () => Date.now(),
  close: async () => undefined,
}

/** Takes what is not there for a connection. */
const hopeful: Entry = {
  connect: async (context, call) => {
    const token = await context.secrets.find('MAILBOX_TOKEN')
    return token === undefined ? idle : await mailbox().connect(context, call)
  },
}

const pessimistic: Entry = {
  connect: async (context, call) =>
    await mailbox()
      .connect(context, call)
      .catch(() => Promise.reject(fail('PLATFORM_AUTH', about))),
}

const onLoss = (change: (lost: PlatformContext['lost']) => PlatformContext['lost']): Entry =>
  receiving(({ lost }) => ({ lost: change(lost) }))

const mixed = (): Entry =>
  altered(({ send }) => {
    let count = 0
    return {
      send: async (message, call) => {
        const receipt = (await send?.(message, call)) as Receipt
        count += 1
        return count === 2 ? { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: about } } : receipt
      },
    }
  })

const hasty: Entry = altered(({ send }) => ({
  send: async (message, call) => {
    setTimeout(() => void send?.(message, call), 5)
    return { status: 'sent', platformId: message.key }
  },
}))

const nowhere = (told: Receipt | Error): Entry =>
  altered(({ send }) => ({
    send: async (message, call) => {
      if (message.text !== 'to nobody') return (await send?.(message, call)) as Receipt
      if (told instanceof Error) throw told
      return told
    },
  }))

let asked = 0
const restless = (): Entry =>
  altered(({ identity }) => ({
    identity: async (call) => {
      asked += 1
      return { id: `bot-${asked}`, name: (await identity?.(call))?.name ?? '' }
    },
  }))

const broken: Readonly<Record<string, readonly [rule: string, entry: Entry, said: string]>> = {
  'a slash that is lost': ['words', texts((text) => text.replace('/', '')), '"/status of it" is told as "status of it"'],
  'escapes that stay': ['words', texts((text) => text.replace('&', '&amp;')), 'salt &amp; pepper'],
  'a long text that is cut': ['words', texts((text) => text.slice(0, 160)), 'a long story'],
  'an id of the text': [
    'ids',
    receiving(({ receive }) => ({ receive: (message) => receive({ ...message, id: message.text }) })),
    'what a person says twice is told as one message',
  ],
  'ids that begin again': ['ids', counted, 'has the id 1, which one before it had'],
  'wide signs that are cut': [
    'limits',
    sending((message) => ({ ...message, text: message.text.replace(/^(好{9})好+/, '$1') })),
    'like "好好好"',
  ],
  'lines that are lost': [
    'lines',
    sending((message) => ({ ...message, text: message.text.split('\n')[0] ?? '' })),
    'of a text of several lines one',
  ],
  'a receipt before its time': ['receipts', hasty, 'is told as sent before it was'],
  'receipts that change': ['receipts', mixed(), 'some messages are told as sent and others as unknown'],
  'a refusal that rejects': ['nowhere', nowhere(fail('SEND_REFUSED', about)), 'a send that is refused rejects'],
  'a refusal as sent': ['nowhere', nowhere({ status: 'sent', platformId: '1' }), 'is told as sent, and nobody got it'],
  'a refusal as unknown': ['nowhere', nowhere({ status: 'unknown', error: { code: 'SEND_UNKNOWN', params: about } }), 'is told as unknown'],
  'another bot each time': ['identity', restless(), 'and then bot-'],
  'time in seconds': [
    'reception',
    altered(({ lastHeard }) => ({ lastHeard: async (call) => (await lastHeard(call)) / 1000 })),
    'not milliseconds since 1970',
  ],
  'a variable that need not be set': ['settings', hopeful, 'connect without MAILBOX_TOKEN succeeds'],
  'an outage that is final': ['outage', pessimistic, 'connect where nobody answers fails with PLATFORM_AUTH'],
  'a loss that is final': [
    'lost',
    onLoss(
      (lost) =>
        ({ error }) =>
          lost({ retryable: false, error }),
    ),
    'not worth another try',
  ],
  'a loss that comes again': [
    'lost',
    onLoss((lost) => (reason) => {
      lost(reason)
      setTimeout(lost, 20, reason)
    }),
    'a broken connection is told once more',
  ],
  'a second effect that throws': [
    'ended',
    connecting((context) => {
      context.effect(() => Promise.reject(new Error('it is gone')))
      return context
    }),
    'an effect could not be undone',
  ],
  'a secret where the host is busy': [
    'secrets',
    receiving(({ receive, log, secrets }) => ({
      receive: async (message) => {
        const told = await receive(message)
        if (told.status === 'busy') log.debug('busy', { token: await secrets.get('MAILBOX_TOKEN') })
        return told
      },
    })),
    'the value of MAILBOX_TOKEN is in the log',
  ],
}

test.each(Object.entries(broken))('%s breaks the rule', async (_, [rule, entry, said]) => {
  expect(await tryRule(rule, entry)).toContain(said)
})

test.each([...new Set(Object.values(broken).map(([rule]) => rule))])('a sound platform keeps %s', async (rule) => {
  expect(await tryRule(rule, mailbox())).toBe('')
})

test('a service that acknowledges what nobody has read yet is no fault of the platform', async () => {
  expect(await tryRule('receipts', hasty, { world: { acknowledgesFirst: true } })).toBe('')
})
