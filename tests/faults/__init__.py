# SPDX-License-Identifier: MIT
"""Inputs that broke other attention implementations, one fault a file.

The tests name a fault by its number in this list; behind it one public report.

A01 rows without a key: pytorch/pytorch#156707
A08 wrong arguments accepted: pytorch/pytorch#187801, #193728, #141774
A09 causal mask leaks in half precision: pytorch/pytorch#195910
A10 causal alignment of unequal lengths: pytorch/executorch#22426
A13 transposed query in the path for short queries: pytorch/pytorch#163597
A14 key lengths beside multiples of 32: pytorch/pytorch#169222, #174861
A15 ranks other than 4: pytorch/pytorch#146623, #147443
A16 head dimension of the value: pytorch/pytorch#176767
A17 gradients of slices: pytorch/pytorch#146377
A18 empty inputs: pytorch/pytorch#141218
A19 head dimensions beside multiples of 32: Dao-AILab/flash-attention#2698
A20 head groups: pytorch/pytorch#149132, jax-ml/jax#39521
A21 scale: pytorch/pytorch#184122
A25 float16 overflow: pytorch/pytorch#165961
A26 NaN in backward: Dao-AILab/flash-attention#334
A28 subsets of gradients, second derivatives: Dao-AILab/flash-attention#906
A29 differences from run to run: Dao-AILab/flash-attention#414
A34 memory: pytorch/pytorch#149261
A35 index width: pytorch/pytorch#179592
A36 huge batches: pytorch/pytorch#142228
A37 changing lengths: pytorch/pytorch#152550
"""
