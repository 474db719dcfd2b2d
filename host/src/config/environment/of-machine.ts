/** What a program needs to find its way on the machine. None of it is a setting of the agent or a key. */
const ofMachine = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'TERM', 'COLORTERM'],
  ...['NO_COLOR', 'FORCE_COLOR', 'EDITOR', 'VISUAL', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['LOCALAPPDATA', 'APPDATA', 'USERPROFILE', 'SystemRoot', 'ComSpec', 'PATHEXT'],
  // They say how this installation runs, whichever profile it is.
  ...['AGENT_NATIVE_CACHE', 'AGENT_SAFE_MODE'],
])

/** A process has one environment. Whatever else stands in it was meant for the profile that it was started for. */
export function environmentOfMachine(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && (ofMachine.has(name) || /^(LC|XDG)_[A-Z_]+$/.test(name))) kept[name] = value
  return kept
}
