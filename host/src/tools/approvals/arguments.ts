import type { ToolManifest, Wire } from '@agent/plugin-sdk'

type Guard = ToolManifest['guards'][number]['as']

export const hasGuard = ({ guards }: ToolManifest, as: Guard): boolean => guards.some((guard) => guard.as === as)

/** The value of the argument that a guard is about. */
export function guardedValue({ guards }: ToolManifest, as: Guard, args: Wire): Wire | undefined {
  const argument = guards.find((guard) => guard.as === as)?.argument
  return argument === undefined ? undefined : (args as { readonly [key: string]: Wire | undefined })[argument]
}

export function guardedText(tool: ToolManifest, as: Guard, args: Wire): string {
  const value = guardedValue(tool, as, args)
  return typeof value === 'string' ? value : ''
}
