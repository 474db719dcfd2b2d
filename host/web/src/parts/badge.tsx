export type Tone = 'ok' | 'warn' | 'bad' | 'quiet'

const signs: Readonly<Record<Tone, string>> = { ok: '✓', warn: '!', bad: '✕', quiet: '·' }

/** A state: a sign and a word, so that colour is never the only carrier. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span>
      {children}
    </span>
  )
}

const tones: Readonly<Record<string, Tone>> = {
  connected: 'ok',
  running: 'ok',
  active: 'ok',
  enabled: 'ok',
  ready: 'ok',
  done: 'ok',
  starting: 'warn',
  degraded: 'warn',
  connecting: 'warn',
  waiting: 'warn',
  retrying: 'warn',
  paused: 'warn',
  fatal: 'bad',
  failed: 'bad',
  quarantined: 'bad',
}

/** The colour of a state's word; a word that is not known is shown without one. */
export function toneOf(state: string): Tone {
  return tones[state] ?? 'quiet'
}
