// For tests of other packages, by a key of this private package that is never published.
export { agentCases, playOf } from './agent-cases.ts'
export { fileDisk, replaceFile, runAgentProcess } from './agent-process.ts'
export { killedCases } from './killed-agents.ts'
export { mutants } from './mutants.ts'
export {
  type Disk,
  type Entry,
  memoryDisk,
  type Payment,
  type Play,
  type Scripted,
} from './play.ts'
export { openWorld, type World } from './world.ts'
