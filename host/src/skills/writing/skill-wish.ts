import type { ToolCall } from '@agent/plugin-sdk'

/** What is to become of a skill of the home. */
export type SkillWish = Parameters<NonNullable<ToolCall['skills']>['change']>[0]
