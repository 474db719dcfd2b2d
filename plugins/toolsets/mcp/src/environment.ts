/** What programs need to find themselves, and nothing that is a secret. */
const handedOn = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TERM',
  'SHELL',
  'TMPDIR',
  'TZ',
  'SystemRoot',
  'APPDATA',
  'LOCALAPPDATA',
  'PATHEXT',
  'TEMP',
  'USERPROFILE',
]

/** The environment of a server: a little of the user's, and what the settings name. */
export function environmentOf(
  own: Readonly<Record<string, string>>,
  named: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(own).filter(([name]) => handedOn.includes(name) || name.startsWith('XDG_'))
  return { ...Object.fromEntries(kept), ...named }
}
