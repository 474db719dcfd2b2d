export { openWorld } from './testing/matrix-world.ts'
