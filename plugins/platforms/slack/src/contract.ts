export { openWorld } from './testing/slack-world.ts'
