import { stringify } from 'yaml'

/** Plain data as a new text in YAML, for a file that is no settings. */
export const formatYaml = (value: unknown): string => stringify(value, { lineWidth: 0 })
