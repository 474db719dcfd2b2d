import type { PlatformForm } from '#gateway/setup/platform-form.ts'

/** Says who gets in once a platform is set up; nothing where programs write or a list was given, which says it. */
export function describeAccess({ id, spec, access }: PlatformForm, isSet: (variable: string) => boolean): readonly string[] {
  if (spec.gate !== 'sender' || isSet(access.everybody)) return []
  const rooms = `In channels and groups it answers people whom you list: agent config set platforms.${id}.group_allow_from '[…]'`
  if (isSet(access.allowed)) return [rooms]
  const code = `Who writes to it directly gets a code, and agent pairing approve ${id} CODE lets them in.`
  const nobody = `Nobody may write to it yet: list people in ${access.allowed}.`
  return [spec.unknownSenders === 'pair' ? code : nobody, rooms]
}
