import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { callingMachine } from '../../../src/daemon/broker/calling-machine.js'

const V4: NetworkInterfaceInfo = {
  address: '203.0.113.7',
  netmask: '255.255.255.0',
  family: 'IPv4',
  mac: '02:00:5e:10:00:07',
  internal: false,
  cidr: '203.0.113.7/24',
}
const V6: NetworkInterfaceInfo = {
  ...V4,
  family: 'IPv6',
  address: '2001:db8::7',
  scopeid: 0,
  cidr: '2001:db8::7/64',
}
const LOOPBACK = { ...V4, address: '127.0.0.1', mac: '00:00:00:00:00:00', internal: true }
const OWN = { ...V4, address: '169.254.3.4' }

it('is the first network card that others reach', () => {
  expect(callingMachine(undefined, () => ({ lo: [LOOPBACK], eth0: [OWN, V6, V4] }))).toEqual({
    publicIp: '203.0.113.7',
    localIp: '203.0.113.7',
    mac: '02:00:5e:10:00:07',
  })
  expect(callingMachine(undefined, () => ({ eth0: [V6] }))).toMatchObject({ publicIp: '2001:db8::7' })
})

it('has the public address of the configuration, which alone knows it behind a router', () => {
  const cards = { eth0: [{ ...V4, address: '192.168.1.5' }] }
  expect(callingMachine('198.51.100.9', () => cards)).toMatchObject({
    publicIp: '198.51.100.9',
    localIp: '192.168.1.5',
  })
})

it('is not known without a network', () => {
  expect(callingMachine(undefined, () => ({ lo: [LOOPBACK] }))).toBeUndefined()
  expect(callingMachine('198.51.100.9', () => ({}))).toMatchObject({ publicIp: '198.51.100.9' })
})

it('is not known where the system does not tell of its network cards', () => {
  const refused = () => {
    throw new Error('uv_interface_addresses returned Unknown system error 97')
  }
  expect(callingMachine(undefined, refused)).toBeUndefined()
  expect(callingMachine('198.51.100.9', refused)).toMatchObject({ publicIp: '198.51.100.9' })
})
