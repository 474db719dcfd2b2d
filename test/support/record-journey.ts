import { fileURLToPath } from 'node:url'

/** What ran while something was done. */
export interface Journey {
  /** Files of the product in which a function was entered. */
  readonly files: readonly string[]
  /**
   * A hop is a pair of files, counted once: a function of the second was entered, and the nearest frame of the product on the stack lies
   * in the first. What the event loop starts has no caller.
   */
  readonly hops: readonly Hop[]
}

interface Hop {
  readonly from: string
  readonly to: string
}

/** Hops between the files that carry a message: platform, gateway, agent. What they call below them answers and is left again. */
export function carryingHops({ hops }: Journey): readonly Hop[] {
  const carries = (file: string): boolean => /^(host\/src\/(gateway|agent)|plugins\/platforms\/[^/]+\/src)\//.test(file)
  return hops.filter(({ from, to }) => carries(from) && carries(to))
}

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Frame {
  getFileName(): string | null | undefined
  isAsync(): boolean
}

/** Records until the returned function is called. Needs `register.mjs`, by which each function of the product reports that it is entered. */
export function startRecording(): () => Journey {
  const files = new Set<string>()
  const hops = new Map<string, Hop>()
  const enter = (): void => {
    const [callee, ...callers] = takeFrames().map((frame) => ({ file: nameOf(frame), frame }))
    if (!callee) return
    files.add(callee.file)
    const nearest = callers.find(({ file }) => /^(host|plugin-sdk|plugins)\/.*src\//.test(file) && !file.includes('/testing/'))
    if (!nearest || nearest.frame.isAsync() || nearest.file === callee.file) return
    hops.set(`${nearest.file} ${callee.file}`, { from: nearest.file, to: callee.file })
  }
  Object.assign(globalThis, { journey: { enter } })
  return () => {
    Object.assign(globalThis, { journey: undefined })
    return { files: [...files], hops: [...hops.values()] }
  }
}

/** The stack below the function that reports. */
function takeFrames(): readonly Frame[] {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = 60
  Error.prepareStackTrace = (_error, frames) => frames
  const { stack } = new Error('of the caller')
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  return (stack as unknown as readonly Frame[]).slice(2)
}

function nameOf(frame: Frame): string {
  const name = frame.getFileName() ?? ''
  const path = name.startsWith('file:') ? fileURLToPath(name) : name
  return path.startsWith(root) ? path.slice(root.length) : path
}
