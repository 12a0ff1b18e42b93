import { fileDisk, runAgentProcess } from '@countersign/reference-server/reviewed'
import { entries } from './entries.ts'

await runAgentProcess(async (name) => entries[name], fileDisk)
