export { openWorld } from './matrix-world.ts'
