import type { Call, Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail, finalCodes, isAgentError } from '@agent/plugin-sdk/errors'
import { alterConnection, alterContext, always, continuous, type Declared, messaging, needs, rowsOf, type Seed } from './fault.ts'

const about = { platform: 'platform', detail: 'made up' }
const requires = ({ required }: Declared): boolean => required.length > 0
const waits = (declared: Declared): boolean => declared.waits
const hasSecrets = ({ secret }: Declared): boolean => secret.length > 0

type Connect = Platform['connect']
const altered =
  (change: (own: Connect) => Connect): Seed =>
  (sound) => ({ connect: change((context, call) => sound.connect(context, call)) })

const isFinal = (error: unknown): boolean => error instanceof Error && 'code' in error && finalCodes.has(String(error.code))

/** Fails with another error where the sound one fails with one that is final, or with one that is not. */
const otherError = (final: boolean, make: () => Error): Seed =>
  altered((own) => async (context, call) => {
    try {
      return await own(context, call)
    } catch (error) {
      throw isFinal(error) === final && !call.signal.aborted ? make() : error
    }
  })

/** A connection before there is one: each of its methods waits for it. */
const lazy: Seed = altered((own) => async (context, call) => {
  const opening = own(context, call)
  opening.catch(() => undefined)
  const waiting =
    (name: keyof Connection) =>
    async (...args: readonly unknown[]) => {
      const method = (await opening)[name] as (...each: readonly unknown[]) => unknown
      return await method(...args)
    }
  const names = ['send', 'identity', 'lastHeard', 'close'] as const
  return Object.fromEntries(names.map((name) => [name, waiting(name)])) as unknown as Connection
})

/** Wrong credentials are tried for ever. */
const patient: Seed = altered((own) => async (context, call) => {
  try {
    return await own(context, call)
  } catch (error) {
    if (!isFinal(error)) throw error
    return await new Promise<never>(() => undefined)
  }
})

const never = new AbortController().signal

const deaf: Seed = altered((own) => async (context, call) => await own(context, { ...call, signal: never }))

/** Goes on waiting where it is given up. */
const undead: Seed = altered((own) => async (context, call) => {
  try {
    return await own(context, call)
  } catch (error) {
    if (call.signal.aborted) return await new Promise<never>(() => undefined)
    throw error
  }
})

const taken: Seed = altered((own) => async (context, call) => {
  try {
    return await own(context, call)
  } catch (error) {
    if (!isAgentError(error, 'ENV_MISSING')) throw error
    return idle
  }
})

const idle: Connection = {
  send: async () => ({ status: 'unknown', error: { code: 'SEND_UNKNOWN', params: about } }),
  identity: async () => ({ id: 'bot', name: 'Bot' }),
  lastHeard: async () => Date.now(),
  close: async () => undefined,
}

/** Keeps its first connection in the module. */
const onlyOnce: Seed = (sound) => {
  let first: Promise<Connection> | undefined
  return {
    connect: async (context, call) => {
      const opening = first ?? sound.connect(context, call)
      const connection = await opening
      first = opening
      return connection
    },
  }
}

const notAfterLoss: Seed = (sound) => {
  let isSpoilt = false
  return {
    connect: async (context, call) => {
      if (isSpoilt) throw fail('PLATFORM_UNREACHABLE', { platform: 'platform', detail: 'it is connected already' })
      const lost: PlatformContext['lost'] = (reason) => {
        isSpoilt = true
        context.lost(reason)
      }
      return await sound.connect({ ...context, lost }, call)
    },
  }
}

const alteredLost = (change: (lost: PlatformContext['lost']) => PlatformContext['lost']): Seed =>
  alterContext(({ lost }) => ({ lost: change(lost) }))

/** A timer that nothing ends. */
const timer: Seed = altered((own) => async (context, call) => {
  setInterval(() => undefined, 60_000)
  return await own(context, call)
})

/** Writes the secrets that it has read at a time when something happens. */
const leaking = (when: (context: PlatformContext, leak: () => void) => Partial<PlatformContext>): Seed =>
  alterContext((context) => {
    const { secrets, log } = context
    const known: string[] = []
    const keep = <T extends string | undefined>(value: T): T => {
      if (value !== undefined) known.push(value)
      return value
    }
    return {
      secrets: {
        get: async (name) => keep(await secrets.get(name)),
        find: async (name) => keep(await secrets.find(name)),
        set: secrets.set,
      },
      ...when(context, () => log.debug('settings', { values: [...known] })),
    }
  })

const leakAtStart: Seed = (sound) =>
  leaking(({ signal: _, ...context }, leak) => {
    setTimeout(leak, 0)
    return { lost: context.lost }
  })(sound)

const leakAtLoss = leaking(({ lost }, leak) => ({
  lost: (reason) => {
    leak()
    lost(reason)
  },
}))

const leakAtBusy = leaking(({ receive }, leak) => ({
  receive: async (message) => {
    const told = await receive(message)
    if (told.status === 'busy') leak()
    return told
  },
}))

const leakInError: Seed = altered((own) => async (context, call) => {
  const known: string[] = []
  const { secrets } = context
  const keep = <T extends string | undefined>(value: T): T => {
    if (value !== undefined) known.push(value)
    return value
  }
  const kept = {
    ...secrets,
    get: async (name: string) => keep(await secrets.get(name)),
    find: async (name: string) => keep(await secrets.find(name)),
  }
  try {
    return await own({ ...context, secrets: kept }, call)
  } catch (error) {
    if (!isFinal(error)) throw error
    throw fail('PLATFORM_AUTH', { platform: 'platform', detail: `refused with ${known.join(', ')}` })
  }
})

const closing = (change: (close: () => Promise<void>, context: PlatformContext) => Promise<void>): Seed =>
  alterConnection(({ close }, context) => ({ close: (call: Call) => change(() => close(call), context) }))

export const lifeFaults = rowsOf('life', [
  ['lazy', 'connect resolves before anything is proved', messaging, lazy],
  ['patient', 'wrong credentials are tried for ever', always, patient],
  ['deaf', 'connect cannot be given up', waits, deaf],
  ['undead', 'connect that is given up never ends', waits, undead],
  [
    'outage-for-credentials',
    'wrong credentials are told as an outage',
    always,
    otherError(true, () => fail('PLATFORM_UNREACHABLE', about)),
  ],
  ['credentials-for-outage', 'an outage is told as wrong credentials', continuous, otherError(false, () => fail('PLATFORM_AUTH', about))],
  ['no-code', 'a refused connection has no code', always, otherError(true, () => new Error('403'))],
  ['no-code-for-outage', 'an outage has no code', continuous, otherError(false, () => new TypeError('fetch failed'))],
  ['settings-taken', 'without a variable that has to be set it connects to nowhere', requires, taken],
  ['only-once', 'a second connect gives the connection that was closed', always, onlyOnce],
  ['not-after-loss', 'after a loss it does not connect any more', continuous, notAfterLoss],
  ['lost-never', 'a loss is not told', continuous, alteredLost(() => () => undefined)],
  [
    'lost-twice',
    'a loss is told twice, the second time a little later',
    continuous,
    alteredLost((lost) => (reason) => {
      lost(reason)
      setTimeout(lost, 20, reason)
    }),
  ],
  [
    'lost-final',
    'a loss is told as one that is not worth another try',
    continuous,
    alteredLost(
      (lost) =>
        ({ error }) =>
          lost({ retryable: false, error }),
    ),
  ],
  [
    'lost-as-refused',
    'a loss is told with a code that ends the attempts',
    continuous,
    alteredLost((lost) => (reason) => lost({ ...reason, error: { code: 'PLATFORM_AUTH', params: about } })),
  ],
  [
    'lost-at-close',
    'a connection that is closed is told as lost',
    always,
    closing(async (close, { lost }) => {
      await close()
      lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: about } })
    }),
  ],
  ['close-nothing', 'close does not end anything', continuous, closing(async () => undefined)],
  ['close-never', 'close does not resolve', always, closing(() => new Promise(() => undefined))],
  [
    'close-once',
    'a second close fails',
    always,
    (sound) =>
      alterConnection(({ close }) => {
        let isClosed = false
        return {
          close: async (call) => {
            if (isClosed) throw new Error('it is closed')
            isClosed = true
            await close(call)
          },
        }
      })(sound),
  ],
  [
    'effects-lost',
    'nothing is undone where the plugin is ended without close',
    continuous,
    alterContext(({ effect: _ }) => ({ effect: () => undefined, signal: never })),
  ],
  ['timer', 'a timer goes on after the end', always, timer],
  [
    'bad-effect',
    'an effect cannot be undone',
    always,
    altered((own) => async (context, call) => {
      context.effect(() => {
        throw new Error('it is gone')
      })
      return await own(context, call)
    }),
  ],
  ['secret-logged', 'what it has read of its secrets is logged after connect', hasSecrets, leakAtStart],
  ['secret-at-loss', 'secrets are logged at a loss', (it) => hasSecrets(it) && continuous(it), leakAtLoss],
  ['secret-when-busy', 'secrets are logged where the host is busy', (it) => hasSecrets(it) && messaging(it), leakAtBusy],
  ['secret-in-error', 'the error of refused credentials shows them', hasSecrets, leakInError],
  [
    'date',
    'a date crosses the border',
    messaging,
    alterContext(({ receive }) => ({ receive: (message) => receive({ ...message, sentAt: new Date() as unknown as number }) })),
  ],
  [
    'class',
    'an object of a class crosses the border',
    messaging,
    alterConnection(({ identity }) => ({
      identity: async (call) => Object.assign(new (class Self {})(), await identity?.(call)) as { id: string; name: string },
    })),
  ],
  [
    'function',
    'a receipt holds a function',
    messaging,
    alterConnection(({ send }) => ({
      send: async (message, call) => Object.assign({}, await send?.(message, call), { again: () => undefined }) as never,
    })),
  ],
  [
    'error-in-log',
    'a log line holds an error as it is',
    always,
    altered((own) => async (context, call) => {
      context.log.debug('starts', { last: new Error('none') as never })
      return await own(context, call)
    }),
  ],
  [
    'map-in-list',
    'what is listed holds a map',
    needs('listConversations'),
    alterConnection(({ listConversations }) => ({
      listConversations: async (call) => ((await listConversations?.(call)) ?? []).map((each) => ({ ...each, members: new Map() })),
    })),
  ],
])
