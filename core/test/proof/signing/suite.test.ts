import { test } from 'node:test'
import { signingSuite } from '@countersign/conformance/signing'
import { portablePrimitives } from '@countersign/core/signing'

signingSuite({ test, primitives: portablePrimitives })
