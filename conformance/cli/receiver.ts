import { properties, runReceiverSuite } from '../receiver/index.ts'
import type { Command } from './command.ts'
import { judgeEndpoint, listOf } from './judge-endpoint.ts'
import { help, readArguments } from './receiver-arguments.ts'
import { selfTest } from './self-test.ts'
import { tellingWrong } from './telling-wrong.ts'

/** `countersign-conformance receiver`. */
export const receiver: Command = tellingWrong('receiver', async (args, around) => {
  const given = readArguments(args, around.env)
  if (given.help || given.list) {
    around.out(given.help ? help : listOf(properties))
    return 0
  }
  if (given['self-test']) return selfTest(around, given)
  return judgeEndpoint(args, given, around, { command: 'receiver', run: runReceiverSuite })
})
