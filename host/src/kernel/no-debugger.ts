/** An address that no machine has: Node cannot listen there. */
const nowhere = '240.0.0.1:9229'

/** What keeps SIGUSR1 from opening the debugger of a Node that is started, from its first instant on. */
export function noDebugger(flags: Pick<ReadonlySet<string>, 'has'> = process.allowedNodeEnvironmentFlags): readonly string[] {
  return flags.has('--disable-sigusr1') ? ['--disable-sigusr1'] : [`--inspect-port=${nowhere}`]
}
