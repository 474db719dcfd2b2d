import type { Call, ToolCall } from '@agent/plugin-sdk'

/** A call of a tool that goes on, for which its server may ask something. */
export interface RunningCall {
  readonly server: string
  readonly toolCall: Pick<ToolCall, 'ask'>
  readonly call: Call
  /** How often a model was asked for it. */
  samples: number
}

export interface Running {
  /** Until it is disposed of. */
  begin(call: Omit<RunningCall, 'samples'>): Disposable
  /** The one that goes on; undefined where there are several: a server does not say which it means, and each is of other people. */
  single(): RunningCall | undefined
}

export function createRunning(): Running {
  const running = new Set<RunningCall>()
  return {
    begin(call) {
      const one = { ...call, samples: 0 }
      running.add(one)
      return { [Symbol.dispose]: () => void running.delete(one) }
    },
    single: () => (running.size === 1 ? [...running][0] : undefined),
  }
}
