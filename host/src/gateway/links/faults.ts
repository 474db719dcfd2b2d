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
  const listener = (error: unknown): void => {
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

/** The error stays the same one, so that its code and class still say what it is. */
function hideSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (typeof error === 'string') return maskText(error, secrets)
  if (!(error instanceof Error)) return error
  const { message, stack = '' } = error
  return Object.defineProperties(error, {
    message: { value: maskText(message, secrets), configurable: true, writable: true },
    stack: { value: maskText(stack, secrets), configurable: true, writable: true },
  })
}
