import { test } from 'node:test'
import { signingSuite } from '@countersign/conformance/signing'
import { nativePrimitives } from '@countersign/node/crypto'

signingSuite({ test, primitives: nativePrimitives, runs: 200 })
