/** What this machine can do about a sandbox. */
export type SandboxLevel =
  | {
      readonly works: true
      readonly kind: 'bwrap' | 'sandbox-exec'
      /** Path of the program. */
      readonly program: string
      /** What the program needs here beside the arguments of a sandbox; they come first. */
      readonly flags: readonly string[]
    }
  | {
      readonly works: false
      /** Part of a sentence: why not. */
      readonly reason: string
      /** Part of a sentence: what to do about it. */
      readonly fix: string
    }

export type WorkingSandbox = Extract<SandboxLevel, { works: true }>

/** The level in one line, for start, status and doctor. */
export function describeSandbox(level: SandboxLevel, wish: 'auto' | 'required' | 'off'): string {
  if (wish === 'off') return 'Commands run without a sandbox, because terminal.sandbox is off.'
  if (level.works) {
    const untried = level.kind === 'sandbox-exec' ? ', which nobody has tried yet' : ''
    return `Commands run in a sandbox (${level.kind}${untried}).`
  }
  const outcome = wish === 'required' ? 'Commands are refused, because terminal.sandbox is required' : 'Commands run without a sandbox'
  return `${outcome}: ${level.reason}. To get one, ${level.fix}.`
}
