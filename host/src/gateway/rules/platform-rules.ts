import type { Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { type PlatformProblem, type PlatformSettings, readPlatformSettings } from '#config/platform-settings.ts'
import { compileMentionPatterns, type MentionPatterns } from './mention-patterns.ts'

/** What the owner wants of one platform. */
export interface PlatformRule {
  readonly settings: PlatformSettings
  readonly patterns: MentionPatterns
}

export interface PlatformRules {
  of(platform: string): PlatformRule
  /** Throws CONFIG_INVALID where the settings of a platform contradict themselves. */
  requireSound(platform: string): void
  /** From now on this is where the agent reports on a platform. */
  setHome(platform: string, target: string): void
  /** The settings have changed; those of the platforms in `kept` hold on. */
  readAnew(kept: ReadonlySet<string>): void
}

export interface PlatformRulesOptions {
  readonly home: Pick<Home, 'files'>
  readonly loaded: Pick<Loaded, 'config' | 'environment'>
  readonly log: Log
}

/** The settings of every platform, read once until they change. What does not fit is warned about. */
export function openPlatformRules({ home, loaded, log }: PlatformRulesOptions): PlatformRules {
  const known = new Map<string, PlatformRule & { readonly problems: readonly PlatformProblem[] }>()
  const read = (platform: string) => {
    const found = known.get(platform)
    if (found) return found
    const { settings, problems } = readPlatformSettings(loaded, platform)
    const patterns = compileMentionPatterns(settings.mention_patterns)
    for (const { pattern, reason } of patterns.refused) log.warn('a mention pattern is not used', { platform, pattern, reason })
    for (const { level, key, problem } of problems) if (level === 'warning') log.warn(`${key} ${problem}`, { platform })
    const rule = { settings, patterns, problems }
    known.set(platform, rule)
    return rule
  }
  return {
    of: read,
    requireSound(platform) {
      const found = read(platform).problems.find(({ level }) => level === 'error')
      if (found) throw fail('CONFIG_INVALID', { file: home.files.config, line: 0, key: found.key, problem: found.problem })
    },
    setHome(platform, target) {
      const rule = read(platform)
      known.set(platform, { ...rule, settings: { ...rule.settings, home_channel: target } })
    },
    readAnew(kept) {
      for (const platform of [...known.keys()]) if (!kept.has(platform)) known.delete(platform)
    },
  }
}
