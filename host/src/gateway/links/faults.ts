import { maskText } from '#observe/mask.ts'

type FaultEvent = 'uncaughtException' | 'unhandledRejection'

/** The part of `process` that tells about errors which nobody caught. */
export interface FaultSource {
  on(event: FaultEvent, listener: (error: unknown) => void): unknown
  off(event: FaultEvent, listener: (error: unknown) => void): unknown
}

/** What a gateway does about an error that nobody caught. */
export interface Fence {
  /** Whether it comes from one of its plugins. */
  owns(error: unknown): boolean
  /** Throws what is the host's own. */
  take(error: unknown): void
}

/** Errors of a process that nobody caught, for each gateway in it. */
export interface UncaughtErrors {
  /** Listens from now on; what it returns ends that. */
  add(fence: Fence): () => void
}

/**
 * Every gateway with a plugin whose error it is takes it: two profiles may run the same code, and the stack does not say for whom.
 * What belongs to nobody's plugin is for the first gateway. None reads a secret of the others in it.
 */
export function createFaults(source: FaultSource, secrets: () => readonly string[] = () => []): UncaughtErrors {
  const fences = new Set<Fence>()
  const listener = (thrown: unknown): void => {
    const error = asReadable(thrown)
    const owners = [...fences].filter((fence) => fence.owns(error))
    const told = fences.size > 1 ? hideSecrets(error, secrets()) : error
    for (const fence of owners.length > 0 ? owners : [...fences].slice(0, 1)) fence.take(told)
  }
  const events = ['uncaughtException', 'unhandledRejection'] as const
  return {
    add: (fence) => {
      if (fences.size === 0) for (const event of events) source.on(event, listener)
      fences.add(fence)
      return () => {
        fences.delete(fence)
        if (fences.size === 0) for (const event of events) source.off(event, listener)
      }
    },
  }
}

/** Code may throw anything. What cannot be read would end the process, and all gateways in it. */
function asReadable(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' && thrown !== null ? say(thrown) : thrown
  const [message, stack] = [read(thrown, 'message'), read(thrown, 'stack')]
  if (typeof message === 'string' && typeof stack === 'string') return thrown
  return Object.assign(new Error(say(message)), { stack: typeof stack === 'string' ? stack : '' })
}

function read(error: Error, name: 'message' | 'stack'): unknown {
  try {
    return error[name]
  } catch {
    return undefined
  }
}

function say(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'something that has no words'
  }
}

/** Its code and class still say what it is. One that cannot be changed is told as its copy. */
function hideSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (typeof error === 'string') return maskText(error, secrets)
  if (!(error instanceof Error)) return error
  const { message, stack = '' } = error
  const words = {
    message: { value: maskText(message, secrets), configurable: true, writable: true },
    stack: { value: maskText(stack, secrets), configurable: true, writable: true },
  }
  try {
    return Object.defineProperties(error, words)
  } catch {
    return Object.create(Object.getPrototypeOf(error), { ...Object.getOwnPropertyDescriptors(error), ...words })
  }
}
